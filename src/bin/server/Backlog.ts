import type { Socket } from "node:net"

/** An answer, or a part of it, that waits for its client. */
export interface Waiting {
  readonly socket: Socket
  /** Bytes that the client has not taken yet. */
  readonly bytes: () => number
  /** The whole body to which these bytes belong, when several answers may share it. It counts once for all of them. */
  readonly body?: ArrayBufferLike | undefined
}

interface Entry {
  bytes: number
  /** Checks since the client took anything. */
  checks: number
}

export interface BacklogOptions {
  readonly bytesMax: number
  readonly connectionBytesMax: number
  /** Checks without progress after which a connection is cut. */
  readonly checksMax: number
}

/**
 * Bounds the bytes that wait in this process for slow clients. A client that takes nothing is cut. When too much waits,
 * the client that has been stalled longest goes first.
 */
export class Backlog {
  /** Answers in the order of their last progress. */
  readonly #entries = new Map<Waiting, Entry>()
  readonly #bySocket = new Map<Socket, Set<Waiting>>()
  readonly #watched = new WeakSet<Socket>()
  /** Bodies that answers share, with the number of those answers. */
  readonly #bodies = new Map<ArrayBufferLike, number>()
  readonly #options: BacklogOptions
  #bytes = 0
  #cuts = 0

  constructor(options: BacklogOptions) {
    this.#options = options
  }

  /** Adds an answer that waits, or notes what its client has taken of it since. */
  update(waiting: Waiting): void {
    const { socket } = waiting
    if (socket.destroyed) return this.remove(waiting)
    const bytes = waiting.bytes()
    const entry = this.#entries.get(waiting)
    if (entry === undefined) return this.#add(waiting, bytes)
    this.#note(waiting, entry, bytes)
    if (bytes < entry.bytes) {
      this.#entries.delete(waiting)
      this.#entries.set(waiting, { bytes, checks: 0 })
    } else entry.bytes = bytes
    this.#bound()
  }

  /** Forgets an answer that was sent or whose connection has ended. */
  remove(waiting: Waiting): void {
    const entry = this.#entries.get(waiting)
    if (entry === undefined) return
    this.#release(waiting, entry)
    this.#entries.delete(waiting)
    const others = this.#bySocket.get(waiting.socket)
    others?.delete(waiting)
    if (others?.size === 0) this.#bySocket.delete(waiting.socket)
  }

  /** Cuts the connections whose clients have taken nothing for too long. Call it at equal intervals. */
  check(): void {
    for (const [waiting, entry] of this.#entries) {
      const bytes = waiting.bytes()
      this.#note(waiting, entry, bytes)
      entry.checks = bytes < entry.bytes ? 0 : entry.checks + 1
      entry.bytes = bytes
      if (entry.checks >= this.#options.checksMax) this.#cut(waiting.socket)
    }
  }

  /** Returns the number of connections that were cut since the last call. */
  takeCuts(): number {
    const cuts = this.#cuts
    this.#cuts = 0
    return cuts
  }

  #add(waiting: Waiting, bytes: number): void {
    if (bytes === 0) return
    const { socket } = waiting
    const all = this.#bySocket.get(socket) ?? new Set()
    // Node reports the end of a connection only to its current answer, not to those behind it.
    if (!this.#watched.has(socket)) socket.once("close", () => this.#forget(socket))
    this.#watched.add(socket)
    this.#bySocket.set(socket, all.add(waiting))
    this.#entries.set(waiting, { bytes, checks: 0 })
    this.#hold(waiting, bytes)
    if (all.size > 1 && this.#bytesOf(all) > this.#options.connectionBytesMax) this.#cut(socket)
    this.#bound()
  }

  #hold({ body }: Waiting, bytes: number): void {
    const holders = body === undefined ? 0 : (this.#bodies.get(body) ?? 0)
    if (body !== undefined) this.#bodies.set(body, holders + 1)
    if (holders === 0) this.#bytes += body?.byteLength ?? bytes
  }

  /** Notes how many bytes of an answer wait now. */
  #note({ body }: Waiting, before: Entry, bytes: number): void {
    if (body === undefined) this.#bytes += bytes - before.bytes
  }

  #release({ body }: Waiting, { bytes }: Entry): void {
    const holders = body === undefined ? 1 : (this.#bodies.get(body) ?? 1)
    if (holders === 1) this.#bytes -= body?.byteLength ?? bytes
    if (body !== undefined && holders === 1) this.#bodies.delete(body)
    else if (body !== undefined) this.#bodies.set(body, holders - 1)
  }

  #bytesOf(all: ReadonlySet<Waiting>): number {
    let bytes = 0
    for (const it of all) bytes += this.#entries.get(it)?.bytes ?? 0
    return bytes
  }

  #bound(): void {
    for (const { socket } of this.#entries.keys()) {
      // One answer may exceed the bound: another process would have no more room for it.
      if (this.#bytes <= this.#options.bytesMax || this.#bySocket.size === 1) return
      this.#cut(socket)
    }
  }

  #forget(socket: Socket): void {
    for (const it of this.#bySocket.get(socket) ?? []) this.remove(it)
  }

  #cut(socket: Socket): void {
    this.#cuts++
    this.#forget(socket)
    socket.destroy()
  }
}
