import { Effect, Layer } from "effect"
import { StateStore } from "../../src/mcp/local/ports/StateStore.ts"
import { layer as sqlite, type StateOptions } from "../local/StateStoreSqlite.ts"

/** The moment at which a process ends: before an act has its effect, or right after, without learning of it. */
export type Moment = "after" | "before"

/** The life of one process, which ends at an act that a test chooses. */
export interface Life {
  /** Counts one act. Returns the moment if it is the last one. */
  readonly act: () => Moment | undefined
  readonly isOver: () => boolean
}

const ended = Effect.die(new Error("The process has ended"))

/**
 * The state of a process that loses power at one of its writes. If it does before the commit, the disk drops the whole
 * transaction; if right after, the next process finds all of it. The ended process reads and writes nothing more.
 */
export const layer = (options: StateOptions, life: Life) =>
  Layer.effect(
    StateStore,
    Effect.map(StateStore, (store) =>
      StateStore.of({
        directory: store.directory,
        read: (body) => Effect.suspend(() => (life.isOver() ? ended : store.read(body))),
        write: (body) =>
          Effect.suspend(() => {
            if (life.isOver()) return ended
            const moment = life.act()
            if (moment === undefined) return store.write(body)
            return moment === "before"
              ? store.write((tx) => Effect.andThen(Effect.exit(body(tx)), ended))
              : Effect.andThen(Effect.exit(store.write(body)), ended)
          })
      })
    )
  ).pipe(Layer.provide(sqlite(options)))
