import type { LogPosition } from "../ports/Signals.ts"

/**
 * The position of the newest change that this process ended or heard of. A server that is there shows all of them. The
 * position of an own change is known once its signal was sent.
 */
export class NewestChange {
  #heard: LogPosition = 0n
  #ended = 0
  #announced = 0

  /** Returns the position; undefined while that of an own change is not known. */
  get position(): LogPosition | undefined {
    return this.#announced < this.#ended ? undefined : this.#heard
  }

  hear(position: LogPosition): void {
    if (position > this.#heard) this.#heard = position
  }

  /** Forgets what was heard. The log of a new primary may end before that of the former one. */
  forget(): void {
    this.#heard = 0n
  }

  /** An own change ended, and its signal will be sent. */
  end(): void {
    this.#ended += 1
  }

  /** Returns what to call with the position of a signal that is sent from now on. It includes all own changes so far. */
  announce(): (position: LogPosition) => void {
    const ended = this.#ended
    return (position) => {
      this.hear(position)
      this.#announced = ended
    }
  }
}
