import { Context, Effect, Layer, Option, Schema } from "effect"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { CommentId, type OwnerId, type PostId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { threadStatements, type ThreadRow } from "../../engagement/comments/threads.sql.ts"
import { Purchases } from "../../payments/purchases/Purchases.ts"
import { Cursors } from "../../platform/cursors/Cursors.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import type { CommentView } from "./parts/views.ts"
import { threadTree } from "./threadTree.ts"

/** Threads of a page. */
const THREADS = 20
/** Maximum number of replies shown of a thread among others, and of a single thread. */
const REPLIES = 5
const REPLIES_ALONE = 500

/** The part of a discussion that a page shows. */
export interface ShownDiscussion {
  readonly threads: ReadonlyArray<CommentView>
  /** The cursor behind them; null at the end. */
  readonly next: string | null
  readonly owners: ReadonlyArray<OwnerId>
}

/** Discussions of Posts by threads, from the newest. */
export class Discussions extends Context.Service<
  Discussions,
  {
    /** Returns the threads after a cursor. Fails for a cursor that this service did not make for the Post. */
    readonly threads: (id: PostId, after: string | undefined) => Effect.Effect<ShownDiscussion, NotFound>
    /** Returns one thread; fails without it. */
    readonly thread: (id: PostId, root: string) => Effect.Effect<ShownDiscussion, NotFound>
  }
>()("pennypress/web/pages/Discussions") {
  static readonly layer = Layer.effect(
    Discussions,
    Effect.gen(function* () {
      const { slice } = yield* threadStatements
      const cursors = yield* Cursors
      const { buyersAmong } = yield* Purchases
      const media = yield* OwnMedia

      const listOf = (id: PostId) => `threads ${id}`

      const placeOf = Effect.fnUntraced(function* (id: PostId, after: string) {
        const position = Option.flatMap(yield* cursors.read(listOf(id), after), decodePosition)
        if (Option.isNone(position)) return yield* new NotFound()
        return { createdAt: position.value[0], id: position.value[1] }
      })

      const treeOf = Effect.fnUntraced(function* (id: PostId, rows: ReadonlyArray<ThreadRow>) {
        const owners = [...new Set(rows.map(({ author_id }) => author_id))]
        return { threads: threadTree(rows, yield* buyersAmong(id, owners), media), owners }
      })

      return Discussions.of({
        threads: Effect.fn("Discussions.threads")(function* (id, cursor) {
          const after = cursor === undefined ? undefined : yield* placeOf(id, cursor)
          const rows = yield* slice({
            postId: id,
            after,
            root: undefined,
            threads: THREADS,
            ofThread: REPLIES + 1
          })
          const roots = rows.filter((row) => row.id === row.thread_root_id)
          const last = roots.length > THREADS ? roots[THREADS - 1] : undefined
          const beyond = roots[THREADS]?.id
          const shown = beyond === undefined ? rows : rows.filter((row) => row.thread_root_id !== beyond)
          const next = last === undefined ? null : yield* cursors.make(listOf(id), [last.created_at, last.id])
          return { ...(yield* treeOf(id, shown)), next }
        }),

        thread: Effect.fn("Discussions.thread")(function* (id, text) {
          const root = decodeId(text)
          if (Option.isNone(root)) return yield* new NotFound()
          const rows = yield* slice({
            postId: id,
            after: undefined,
            root: root.value,
            threads: 1,
            ofThread: REPLIES_ALONE + 1
          })
          if (rows.length === 0) return yield* new NotFound()
          return { ...(yield* treeOf(id, rows)), next: null }
        })
      })
    })
  )
}

const decodeId = Schema.decodeUnknownOption(CommentId)

const decodePosition = Schema.decodeUnknownOption(Schema.Tuple([Timestamp, CommentId]))
