/** Names that the manifest, the server and this code have to agree on; tests hold them against package.json. */

export const SECTION = 'warplens';

export const COMMANDS = {
  selectGpu: 'warplens.selectGpu',
  previewFix: 'warplens.previewFix',
  openReport: 'warplens.openReport',
  // Not `warplens.whatIf`: that is the server's, and the client library registers it.
  askWhatIf: 'warplens.askWhatIf',
  // Not `warplens.compareGpus`, for the same reason.
  compareLoop: 'warplens.compareLoop',
  pinMapping: 'warplens.pinMapping',
  restartServer: 'warplens.restartServer',
  showOutput: 'warplens.showOutput',
  // The server's own: the client library registers it.
  clearCache: 'warplens.clearCache',
} as const;

/** Run by a code lens with (uri, line, character?) from 0; not in the command palette. */
export const SHOW_LOOP = 'warplens.showLoop';

/** Request without parameters to the server; it answers with the profiles, `[{id, name, detail}]`. */
export const GPUS_REQUEST = 'warplens/gpus';

/** Request with a position in a document; it answers with the fixes of the loops there, `[{title, refusal, gain, fix}]`. */
export const FIXES_REQUEST = 'warplens/fixes';

/** Request with a position at which nothing is offered; it answers with `{reason}`, in terms of the loop there. */
export const NO_FIXES_REQUEST = 'warplens/noFixes';

/** Request with the `fix` of such an entry; it answers with what that would write. */
export const PREVIEW_FIX_REQUEST = 'warplens/previewFix';

/** Kind of the server's code actions that pin a mapping of a nest; who asks for it alone gets all of them. */
export const PIN_KIND = 'refactor.rewrite.mapping';

/** Notification with the `theme` that the pictures in hovers are to fit: `light` or `dark`. */
export const IMAGES_NOTIFICATION = 'warplens/images';

/** The panel with the report, and the requests for its page and for what it shows (docs/report.md, docs/what-if.md). */
export const REPORT_VIEW = 'warplens.report';
export const REPORT_PAGE_REQUEST = 'warplens/reportPage';
export const REPORT_REQUEST = 'warplens/report';
export const WHAT_IF_REQUEST = 'warplens/whatIf';

/** Request with a position in a loop; it answers with the loop on several GPUs (docs/compare.md). */
export const COMPARE_REQUEST = 'warplens/compareGpus';

/** Notification of the server: something new is known of open documents. */
export const ANALYSED_NOTIFICATION = 'warplens/analysed';
