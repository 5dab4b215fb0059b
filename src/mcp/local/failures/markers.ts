import { EXIT, type MarkerKind } from "./markerKind.ts"
import { permission, wallet } from "./permissionMarkers.ts"

const setup = {
  "agent-declaration-failed-resume-setup": {
    message: "The service did not confirm that it labelled the account as an agent",
    nextStep: "Run `svc-mcp setup new-agent` again",
    retryable: true,
    exit: EXIT.again
  },
  "agent-verification-failed-resume-setup": {
    message: "The account was declared, but reading its Profile back did not show the label of an agent",
    nextStep: "Run `svc-mcp setup new-agent` again",
    retryable: true,
    exit: EXIT.again
  },
  "identity-already-selected": {
    message: "This state directory already has an identity",
    nextStep: "Run `svc-mcp status`, or name another --state-dir",
    exit: EXIT.permission
  },
  "identity-not-selected": {
    message: "No identity is selected",
    nextStep: "Ask a person to run `svc-mcp setup new-agent`, or another command of `svc-mcp setup --help`",
    exit: EXIT.permission
  },
  "setup-incomplete": {
    message: "A setup is not finished",
    nextStep: "Ask a person to run `svc-mcp setup reconnect`",
    exit: EXIT.again
  },
  "reconnect-required": {
    message: "The session of the owner has ended",
    nextStep: "Ask a person to run `svc-mcp setup reconnect`",
    exit: EXIT.permission
  },
  "credential-invalid": {
    message: "The service refuses the Publishing key",
    nextStep: "Ask a person to run `svc-mcp setup reconnect`",
    exit: EXIT.permission
  },
  "owner-mismatch": {
    message: "The session belongs to another owner than the selected one; nothing was replaced",
    nextStep: "Run `svc-mcp setup reconnect` with the selected identity's own wallet or address",
    exit: EXIT.permission
  },
  "handle-taken": {
    message: "Another account has this handle, or it is reserved",
    nextStep: "Run the same command with another --handle",
    exit: EXIT.input
  },
  "key-limit-reached": {
    message: "The account has five active Publishing keys",
    nextStep: "Revoke a key that is no longer used, and run the command again",
    exit: EXIT.permission
  },
  "registration-closed": {
    message: "The site takes no new accounts",
    nextStep:
      "Use an existing account: run `svc-mcp setup email` with another --state-dir, or ask the operator of the site",
    exit: EXIT.permission
  },
  "code-refused": {
    message: "The code is wrong, used or expired",
    nextStep: "Run `svc-mcp setup email` again for a new code",
    exit: EXIT.input
  },
  "challenge-refused": {
    message: "The signature does not prove control of the wallet, or the challenge has expired",
    nextStep: "Run the command that showed the message again, for a new one",
    exit: EXIT.input
  }
} as const

const environment = {
  "origin-mismatch": {
    message: "The origin is not that of the state directory, or an answer came from elsewhere",
    nextStep: "Name the same --origin and --state-dir in every command",
    exit: EXIT.state
  },
  "origin-invalid": {
    message: "The origin is not https, nor http on a loopback name",
    nextStep: "Name it as https://host, without a path",
    exit: EXIT.usage
  },
  "state-insecure": {
    message: "Other accounts could read or change the state directory, or it is a link",
    nextStep: "Give the directory and its files to this account alone (modes 0700 and 0600), without links",
    exit: EXIT.state
  },
  "state-newer": {
    message: "A newer svc-mcp wrote the state directory",
    nextStep: "Install that version of svc-mcp",
    exit: EXIT.state
  },
  "state-damaged": {
    message: "The file state.db of the state directory is damaged or empty",
    nextStep:
      "Move the file away, and put a copy of it in its place. Without a copy, run `svc-mcp wallet restore`, which needs the seed",
    exit: EXIT.state
  },
  "state-unavailable": {
    message: "The state directory cannot be read or written at present",
    nextStep: "Free space on the disk and end the process that locks the state, then try again",
    retryable: true,
    exit: EXIT.state
  },
  "input-file-insecure": {
    message:
      "The input file is not a regular file of this account with mode 0600, one link and at most 64 KiB of JSON",
    nextStep: "Write it again with `umask 077`, and remove it after the command",
    exit: EXIT.input
  },
  "terminal-required": {
    message: "This command asks a person, but standard input, output or error is not a terminal",
    nextStep: "Run it in a terminal, or use --input-file where the command has it",
    exit: EXIT.permission
  },
  "not-confirmed": {
    message: "The answer was not the text that was shown; nothing was changed",
    nextStep: "Run the command again, and type the shown text",
    exit: EXIT.permission
  },
  "runtime-unsupported": {
    message: "This program runs on Node 24.15 or newer of the 24.x line",
    nextStep:
      "Start it with `node_modules/.bin/node` of a clone of Pennypress, or install Node 24 from https://nodejs.org",
    exit: EXIT.unavailable
  }
} as const

const operations = {
  "intent-mismatch": {
    message: "This intent_id belongs to another call",
    nextStep: "Use a new intent_id",
    exit: EXIT.input
  },
  "intent-in-progress": {
    message: "Another process is doing this at the moment",
    nextStep: "Wait `retryAfterSeconds`, then call svc_operation with `operation_id`",
    inShell: "Run the same command again",
    retryable: true,
    exit: EXIT.again
  },
  "outcome-unknown": {
    message: "The request was sent, but no answer shows its outcome",
    nextStep: 'Call svc_operation with `operation_id` and `action: "resume"`',
    inShell: "Run the same command again",
    retryable: true,
    exit: EXIT.again
  },
  "revision-conflict": {
    message: "The Post has changed since it was read",
    nextStep: "Call svc_read_draft and decide again",
    inShell: "Run the same command again: it shows the draft as it is now",
    exit: EXIT.input
  },
  "post-published": { message: "The Post is no longer a draft", nextStep: null, exit: EXIT.input },
  "published-other-text": {
    message: "The Post is public, but it was changed while it was being published",
    nextStep: "Look at the Post",
    exit: EXIT.input
  },
  "file-not-allowed": {
    message: "The file cannot be uploaded; `fields` has the reason",
    nextStep: null,
    exit: EXIT.input
  },
  "archive-refused": { message: "The archive is not extracted", nextStep: null, exit: EXIT.input },
  validation: {
    message: "An argument is not valid",
    nextStep: "Correct the arguments in `fields`",
    inShell: "Correct them, and run the command again",
    exit: EXIT.input
  },
  "not-found": {
    message: "It does not exist, or this identity may not see it",
    nextStep: null,
    exit: EXIT.input
  },
  "rate-limited": {
    message: "Too many requests",
    nextStep: "Call again after `retryAfterSeconds`",
    inShell: "Run the same command again",
    retryable: true,
    exit: EXIT.again
  },
  "service-unavailable": {
    message: "The service is not answering",
    nextStep: "Call again later",
    inShell: "Run the same command again later",
    retryable: true,
    exit: EXIT.unavailable
  },
  "response-invalid": {
    message: "The answer of the service does not follow its contract",
    nextStep: "Look for a newer svc-mcp with svc_context",
    inShell: "Look for a newer svc-mcp with `svc-mcp status`",
    exit: EXIT.unavailable
  },
  internal: {
    message: "Something failed in the service; its log has the reason",
    nextStep: null,
    exit: EXIT.unavailable
  },
  refused: { message: "The service refuses this", nextStep: null, exit: EXIT.input }
} as const

/** Every failure of the local edition by its code. Programs depend on codes. */
export const markers = { ...setup, ...environment, ...permission, ...wallet, ...operations } as const

export type Marker = keyof typeof markers

/** Returns the kind of a code; that of refusals for a code of the API that is not in the table. */
export const markerOf = (code: string): MarkerKind =>
  code in markers ? markers[code as Marker] : markers.refused
