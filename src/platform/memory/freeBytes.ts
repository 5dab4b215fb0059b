/**
 * Gives the memory of bytes back at once, and leaves them empty. V8 would give it back with the next collection of its
 * whole heap, which begins whenever 64 MB were allocated beside the heap. Files that pass through the process would
 * cause one collection after the other. Does nothing to a view of a part of a buffer, because others may use the rest.
 */
export const freeBytes = ({ buffer, byteLength }: Uint8Array): void => {
  if (byteLength === 0 || byteLength < buffer.byteLength || !(buffer instanceof ArrayBuffer)) return
  buffer.transfer(0)
}
