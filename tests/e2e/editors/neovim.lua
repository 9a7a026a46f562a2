-- One story in Neovim 0.7 or newer, set up by $CONFIG: what a user of $FILE sees after each step goes to $REPORT as JSON.
-- nvim --headless -u NONE -i NONE -n -c 'luafile neovim.lua'

local seen = {}

local function wait(what, condition)
  assert(vim.wait(30000, condition, 10), 'waited in vain for ' .. what)
end

local function text_of(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n') .. '\n'
end

local function on_disk()
  return table.concat(vim.fn.readfile(vim.env.FILE), '\n') .. '\n'
end

local function diagnostics(buffer)
  return vim.tbl_map(function(each)
    local last = math.min(each.end_lnum, vim.api.nvim_buf_line_count(buffer) - 1)
    local there = vim.api.nvim_buf_get_lines(buffer, each.lnum, last + 1, false)[1] or ''
    local text = there:sub(each.col + 1, last == each.lnum and each.end_col or -1)
    return { code = each.code, severity = each.severity, source = each.source, line = each.lnum, text = text }
  end, vim.diagnostic.get(buffer))
end

local function float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then return window end
  end
end

-- The lines of the floating window that the hover opens, and how wide it is.
local function hover(line, column)
  vim.api.nvim_win_set_cursor(0, { line, column })
  vim.lsp.buf.hover()
  wait('the hover', float)
  local window = float()
  local shown = {
    width = vim.api.nvim_win_get_width(window),
    lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false),
  }
  vim.api.nvim_win_close(window, true)
  return shown
end

-- What stands behind the lines as lenses, once there is one.
local function lenses(buffer)
  local shown = {}
  wait('the lenses', function()
    for name, space in pairs(vim.api.nvim_get_namespaces()) do
      if name:match('codelens') then
        for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, { details = true })) do
          local virtual = mark[4].virt_text or (mark[4].virt_lines or {})[1] or {}
          local texts = vim.tbl_map(function(chunk) return chunk[1] end, virtual)
          table.insert(shown, { line = mark[2], text = vim.trim(table.concat(texts)) })
        end
      end
    end
    return #shown > 0
  end)
  return shown
end

local function choose_action(line, column, wanted)
  vim.api.nvim_win_set_cursor(0, { line, column })
  vim.ui.select = function(items, options, choose)
    seen.actions = vim.tbl_map(options.format_item, items)
    for at, item in ipairs(items) do
      if options.format_item(item):find(wanted, 1, true) then return choose(item, at) end
    end
    choose(nil)
  end
  vim.lsp.buf.code_action()
end

-- The labels of inlay hints, which Neovim has from 0.10 on.
local function hints(buffer)
  if not vim.lsp.inlay_hint then return end
  local found
  wait('inlay hints', function()
    found = vim.lsp.inlay_hint.get({ bufnr = buffer })
    return #found > 0
  end)
  return vim.tbl_map(function(each) return each.inlay_hint.label end, found)
end

-- What the user's command shows of the first fix, where there is that command.
local function preview()
  if vim.fn.exists(':WarplensPreview') == 0 then return end
  vim.ui.select = function(items, _, choose) choose(items[1]) end
  vim.cmd('WarplensPreview')
  wait('the preview', function() return vim.bo.filetype == 'diff' end)
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  vim.cmd('close')
  return lines
end

-- Both servers on one buffer: who says what, and what is still Warplens' beside clangd.
local function beside_clangd(buffer)
  local id = vim.lsp.start_client({
    name = 'clangd',
    cmd = { 'clangd', '--background-index=false' },
    root_dir = vim.fn.fnamemodify(vim.env.FILE, ':h'),
  })
  vim.lsp.buf_attach_client(buffer, id)
  local sources = {}
  wait('diagnostics of both', function()
    for _, each in ipairs(vim.diagnostic.get(buffer)) do
      sources[each.source] = math.min(each.severity, sources[each.source] or 9)
    end
    return vim.tbl_count(sources) > 1
  end)
  seen.sources = sources
  seen.hover = hover(4, 4)
  choose_action(4, 4, 'with OpenMP')
  wait('the fix', function() return text_of(buffer):find('#pragma omp target', 1, true) end)
  seen.fixed = text_of(buffer)
end

local function story()
  vim.o.columns, vim.o.lines = 80, 60
  vim.cmd('filetype on')
  vim.cmd('luafile ' .. vim.fn.fnameescape(vim.env.CONFIG))
  vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.FILE))
  local buffer = vim.api.nvim_get_current_buf()
  local original = text_of(buffer)
  wait('diagnostics', function() return #vim.diagnostic.get(buffer) > 0 end)
  if vim.env.BESIDE_CLANGD then return beside_clangd(buffer) end
  seen.diagnostics = diagnostics(buffer)
  seen.lenses = lenses(buffer)
  seen.hover = hover(4, 4)
  seen.access = hover(5, 8)
  seen.hints = hints(buffer)
  seen.preview = preview()

  choose_action(4, 4, 'with OpenMP')
  wait('the fix', function() return text_of(buffer) ~= original end)
  seen.fixed = text_of(buffer)
  seen.with_undo = vim.fn.undotree().seq_cur
  vim.cmd('silent write')
  seen.fixed_on_disk = on_disk()
  vim.cmd('silent undo')
  seen.undone = text_of(buffer)
  vim.cmd('silent write')
  seen.undone_on_disk = on_disk()
  wait('the first diagnostics after the undo', function() return vim.deep_equal(diagnostics(buffer), seen.diagnostics) end)
end

local ok, problem = pcall(story)
seen.problem = not ok and tostring(problem) or vim.NIL
vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.REPORT)
vim.cmd('qall!')
