;;; emacs.el --- One story in Emacs with eglot -*- lexical-binding: t -*-
;; Emacs is set up by $CONFIG; what a user of $FILE sees after each step goes to $REPORT as JSON.
;; emacs --batch -l emacs.el   (Emacs 28 with eglot 1.9, or Emacs 29 and newer)

(package-activate-all)
(require 'cl-lib)
(require 'eglot)
(require 'flymake)
(require 'json)

(defvar seen nil "What was seen, a list of names and values.")
(defun seen-is (name value) (push (cons name value) seen))

(defun wait-for (what condition)
  (let ((tries 0))
    (while (and (not (funcall condition)) (< tries 1200))
      (accept-process-output nil 0.025)
      (cl-incf tries))
    (unless (funcall condition) (error "Waited in vain for %s" what))))

(defun text () (buffer-substring-no-properties (point-min) (point-max)))

(defun on-disk ()
  (with-temp-buffer (insert-file-contents (getenv "FILE")) (text)))

(defun diagnostics ()
  (vconcat
   (seq-sort-by
    #'prin1-to-string #'string<
    (mapcar (lambda (each)
              `((message . ,(flymake-diagnostic-text each))
                (line . ,(1- (line-number-at-pos (flymake-diagnostic-beg each))))
                (text . ,(buffer-substring-no-properties (flymake-diagnostic-beg each) (flymake-diagnostic-end each)))))
            (flymake-diagnostics)))))

(defun go-to (line column)
  (goto-char (point-min))
  (forward-line (1- line))
  (forward-char column))

(defun hover (line column)
  "What eldoc shows at a place."
  (go-to line column)
  (let (shown)
    (eglot-hover-eldoc-function (lambda (text &rest _) (setq shown text)))
    (wait-for "the hover" (lambda () shown))
    (substring-no-properties shown)))

(defun choose-action (line column wanted)
  "Choose the code action whose title has WANTED in it, as a user does in the minibuffer."
  (go-to line column)
  (cl-letf ((last-nonmenu-event ?x) ; chosen by keyboard: no menu pops up
            ((symbol-function 'completing-read)
             (lambda (_prompt titles &rest _)
               (seen-is 'actions (vconcat (all-completions "" titles)))
               (or (seq-find (lambda (title) (string-search wanted title)) (all-completions "" titles))
                   (error "No action is called %s" wanted)))))
    (eglot-code-actions (point) (point) nil t)))

(defun story ()
  (setq make-backup-files nil create-lockfiles nil auto-save-default nil)
  (load (getenv "CONFIG") nil t t)
  (switch-to-buffer (find-file-noselect (getenv "FILE")))
  (run-hooks 'post-command-hook) ; of the command that opened the file: there is none in batch mode
  (wait-for "the server" (lambda () (and (eglot-current-server) (bound-and-true-p eglot--managed-mode))))
  (wait-for "diagnostics" #'flymake-diagnostics)
  (seen-is 'diagnostics (diagnostics))
  (seen-is 'hover (hover 4 4))
  (seen-is 'access (hover 5 8))
  (let ((original (text)))
    (undo-boundary)
    (choose-action 4 4 "with OpenMP")
    (wait-for "the fix" (lambda () (not (equal (text) original)))))
  (seen-is 'fixed (text))
  (save-buffer)
  (seen-is 'fixed_on_disk (on-disk))
  (undo-boundary)
  (undo)
  (seen-is 'undone (text))
  (eglot--signal-textDocument/didChange)
  (save-buffer)
  (seen-is 'undone_on_disk (on-disk))
  (wait-for "the first diagnostics after the undo"
            (lambda () (equal (diagnostics) (cdr (assq 'diagnostics seen)))))
  (eglot-shutdown (eglot-current-server)))

(condition-case problem
    (story)
  (error (seen-is 'problem (format "%S" problem))))
(with-temp-file (getenv "REPORT") (insert (json-encode seen)))
(kill-emacs 0)
