import { type IncomingMessage, ServerResponse } from "node:http"
import type { Backlog, Waiting } from "./Backlog.ts"

/** Number of bytes handed to a socket at a time. */
const PIECE_BYTES = 64 * 1024

type Callback = () => void

const isCallback = (value: unknown): value is Callback => typeof value === "function"

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array

const bytesOf = (chunk: unknown): Uint8Array | undefined => {
  if (typeof chunk === "string") return chunk.length > PIECE_BYTES ? Buffer.from(chunk) : undefined
  return isBytes(chunk) && chunk.byteLength > PIECE_BYTES ? chunk : undefined
}

/**
 * Returns the class of a server's responses. A large body goes to the socket in pieces, each when the client has taken
 * the one before. The backlog counts the bytes that wait for the client.
 */
export const pacedResponses = (backlog: Backlog): typeof ServerResponse => {
  /** Answers that ended in this turn of the event loop. Most of them are sent whole before the next turn. */
  const ended: Array<{ readonly watch: () => void }> = []
  const watchEnded = () => ended.splice(0).forEach((answer) => answer.watch())

  return class PacedResponse<
    Request extends IncomingMessage = IncomingMessage
  > extends ServerResponse<Request> {
    #unsent = 0
    #body: ArrayBufferLike | undefined
    #waiting: Waiting | undefined

    /** Watches this answer from now on, if anything of it waits. */
    watch(): void {
      if (this.#unsent + this.writableLength === 0) return
      this.#waiting ??= this.#watched()
      backlog.update(this.#waiting)
    }

    #watched(): Waiting {
      const waiting = {
        socket: this.req.socket,
        bytes: () => this.#unsent + this.writableLength,
        body: this.#body
      }
      this.once("close", () => backlog.remove(waiting))
      this.on("drain", () => backlog.update(waiting))
      return waiting
    }

    override write(...args: ReadonlyArray<never>): boolean {
      const isTaken = super.write(...(args as unknown as [unknown]))
      if (!isTaken) this.watch()
      return isTaken
    }

    override end(...args: ReadonlyArray<never>): this {
      const values: ReadonlyArray<unknown> = args
      const bytes = bytesOf(values[0])
      if (bytes === undefined) {
        super.end(...(args as unknown as [unknown]))
        if (ended.push(this) === 1) setImmediate(watchEnded)
      } else this.#endInPieces(bytes, values.find(isCallback))
      return this
    }

    #endInPieces(bytes: Uint8Array, done: Callback | undefined): void {
      this.#unsent = bytes.byteLength
      this.#body = bytes.buffer
      const sendOn = () => {
        while (this.#unsent > 0) {
          if (this.destroyed) return
          const start = bytes.byteLength - this.#unsent
          const piece = bytes.subarray(start, start + PIECE_BYTES)
          this.#unsent -= piece.byteLength
          if (!super.write(piece) && this.#unsent > 0) return this.watch()
        }
        this.off("drain", sendOn)
        super.end(done)
        this.watch()
      }
      this.on("drain", sendOn)
      sendOn()
    }
  }
}
