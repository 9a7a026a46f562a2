// What the threads of a kernel read and write, byte by byte: two threads may not touch one byte, one of them writing,
// without a barrier between them.
//
// The compiler reports every access (-fsanitize=thread); instead of that sanitizer's run-time library, control.cc hands
// them on to here.
#pragma once

#include "block.h"

#include <sanitizer/common_interface_defs.h>

namespace cuda_on_cpu {

[[noreturn]] inline void wrong(const char *what, const void *code)
{
    char place[500] = "";
    __sanitizer_symbolize_pc(const_cast<void *>(code), "%s:%l", place, sizeof place);
    std::fprintf(stderr, "wrong CUDA: %s: %s\n", place, what);
    std::fflush(nullptr);
    std::_Exit(WRONG);
}

// Who touched a byte last in this launch; `many` stands for several threads of one phase, in one warp or several, or for
// several blocks.
struct Touch {
    static constexpr std::uint32_t NOBODY = 0xffffffff, MANY = 0xfffffffe;
    std::uint32_t block = NOBODY, phase = 0, meetings = 0, thread = 0, warp = 0;

    bool is_ordered_before(const Touch &now) const
    {
        if (block == NOBODY || (block == now.block && thread == now.thread))
            return true;
        if (block != now.block)
            return false;
        return phase != now.phase || (warp == now.warp && meetings != now.meetings);
    }

    void add(const Touch &now)
    {
        if (block != NOBODY && block != now.block) {
            block = MANY;
        } else if (block != now.block || phase != now.phase || (warp == now.warp && meetings != now.meetings)) {
            *this = now;
        } else if (thread != now.thread) {
            thread = MANY;
            if (warp != now.warp)
                warp = MANY;
        }
    }
};

// What was done to some bytes.
struct History {
    Touch write, read, atomic;
};

// Memory that all threads see, with what was done to it. What a block shares is new in each of them: there only what the
// block itself did counts.
struct Watched {
    char *start = nullptr;
    std::size_t bytes = 0, first = 0, end = 0;
    bool is_shared = false;
    // Bytes that one of `touched` is about: no access so far was of part of them.
    std::size_t unit = 8;
    std::vector<History> touched;

    void clear() { touched.assign((bytes + unit - 1) / unit, History{}); }

    void make_units_at_most(std::size_t smaller)
    {
        if (smaller >= unit)
            return;
        std::vector<History> parts;
        parts.reserve(touched.size() * (unit / smaller));
        for (const History &whole : touched)
            parts.insert(parts.end(), unit / smaller, whole);
        touched = std::move(parts);
        unit = smaller;
    }
};

// There are few of them: to look at each takes less time than a search.
class Accesses {
public:
    std::uint32_t block_number = 0;

    void watch(void *start, std::size_t bytes, bool is_shared = false)
    {
        auto found = std::find_if(watched.begin(), watched.end(), [&](auto &memory) { return memory.start == start; });
        Watched &memory = found == watched.end() ? watched.emplace_back() : *found;
        memory.start = static_cast<char *>(start);
        memory.bytes = bytes;
        memory.is_shared = is_shared;
    }
    void forget(void *start)
    {
        auto is_it = [&](const Watched &memory) { return memory.start == start; };
        watched.erase(std::remove_if(watched.begin(), watched.end(), is_it), watched.end());
    }

    void begin_launch()
    {
        for (Watched &memory : watched)
            if (!memory.is_shared || memory.touched.empty())
                memory.clear();
    }

    // Fills what the last block used of the shared memory with garbage.
    void begin_block(std::uint32_t number, char *shared)
    {
        block_number = number;
        Watched *found = having(shared);
        if (!found || found->touched.empty())
            return;
        Watched &memory = *found;
        if (garbage != order.garbage()) {
            memory.first = 0;
            memory.end = memory.bytes;
        }
        garbage = order.garbage();
        if (memory.first < memory.end) {
            std::memset(shared + memory.first, order.garbage(), memory.end - memory.first);
            for (std::size_t i = memory.first / memory.unit; i * memory.unit < memory.end; i++)
                memory.touched[i] = History{};
        }
        memory.first = memory.bytes;
        memory.end = 0;
    }

    // Whether all of it is memory that is watched.
    bool access(void *at, std::size_t bytes, bool is_write, bool is_atomic, const void *code)
    {
        Watched *found = having(static_cast<char *>(at));
        if (!found)
            return false;
        Watched &memory = *found;
        std::size_t offset = std::size_t(static_cast<char *>(at) - memory.start);
        std::size_t end = std::min(offset + bytes, memory.bytes);
        memory.first = std::min(memory.first, offset);
        memory.end = std::max(memory.end, end);
        std::size_t bits = offset | end;
        memory.make_units_at_most(bits & -bits); // the largest power of two that divides both
        std::uint32_t thread = std::uint32_t(block.thread());
        Touch now{block_number, block.phase(), block.meetings(), thread, thread / WARP};
        for (std::size_t i = offset / memory.unit; i * memory.unit < end; i++)
            touch(memory.touched[i], now, is_write, is_atomic, code);
        return end == offset + bytes;
    }

private:
    std::vector<Watched> watched;
    int garbage = -1; // that the shared memory is filled with

    Watched *having(char *at)
    {
        for (Watched &memory : watched)
            if (std::size_t(at - memory.start) < memory.bytes)
                return &memory;
        return nullptr;
    }

    static void touch(History &before, const Touch &now, bool is_write, bool is_atomic, const void *code)
    {
        bool is_ordered = before.write.is_ordered_before(now) && (is_atomic || before.atomic.is_ordered_before(now)) &&
                          (!(is_write || is_atomic) || before.read.is_ordered_before(now));
        if (!is_ordered)
            wrong(is_write || is_atomic ? "a thread writes what another one uses, with no barrier between them"
                                        : "a thread reads what another one writes, with no barrier between them",
                  code);
        (is_atomic ? before.atomic : is_write ? before.write : before.read).add(now);
    }
};
inline Accesses accesses;

} // namespace cuda_on_cpu
