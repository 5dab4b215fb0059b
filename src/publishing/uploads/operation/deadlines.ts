import { DAY_MILLIS } from "../../../platform/time/now.ts"

/** Room between a deadline and the one that depends on it. */
const MARGIN_MILLIS = 15_000

/** Time that the server gives an upload request to arrive. */
export const UPLOAD_REQUEST_MILLIS = 120_000

/** Time to receive a file, from the first byte to the durable checkpoint. Longer than its request may take. */
export const RECEIVING_MILLIS = UPLOAD_REQUEST_MILLIS + MARGIN_MILLIS

/** Lease of the request that receives a file. It outlasts the receiving, so that one request at a time writes. */
export const RECEIVING_LEASE_MILLIS = RECEIVING_MILLIS + MARGIN_MILLIS

/** Time for one step of the pipeline. */
export const STEP_MILLIS = 90_000

/** Lease of the fiber that works on an operation. It outlasts the step and the record of its outcome. */
export const STEP_LEASE_MILLIS = STEP_MILLIS + 2 * MARGIN_MILLIS

/** Time to store a file whose bytes have all arrived when its sender is gone. */
export const KEEPING_MILLIS = 5_000

/** Time to record that an upload ended without its file. */
export const RELEASING_MILLIS = 5_000

/** Time that an operation waits for bytes that broke off, counted from its creation. */
export const RESERVATION_MILLIS = DAY_MILLIS

/** Time that a repeated request waits for the one that is receiving the same bytes. */
export const DUPLICATE_WAIT_MILLIS = 3_000

/** `retryAfterSeconds` while another request receives the bytes: it ends soon, or its connection is found broken. */
export const RECEIVING_RETRY_SECONDS = 5
