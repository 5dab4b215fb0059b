import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { zipOf } from "../../../publishing/archives/makeZip.ts"
import { pngOf } from "../../../publishing/image-formats/png/makePng.ts"
import { asPublisher, drafted, paid, pathOf, placed, type Write, type Writer } from "./writer.ts"

const imageUpload = Effect.fnUntraced(function* (writer: Writer, number: number) {
  yield* writer.workOff
  const { id, updatedAt: revision } = yield* drafted(writer)
  const path = placed(writer, `${number}.png`, pngOf({ width: 8, height: 8, seed: number }))
  return { target: "og", post_id: id as string, revision: revision as string, path }
})

/** Uploads an image in a process that lives. Returns the arguments for its operation. */
const uploaded = Effect.fnUntraced(function* (writer: Writer, number: number) {
  const { receipt } = yield* writer.call("svc_upload_image", yield* imageUpload(writer, number))
  return { operation_id: receipt.safety.operationId as string }
})

const operationOf = (writer: Writer, id: string) =>
  Effect.map(asPublisher(writer, "GET", `/upload-operations/${id}`), ({ body }) => body)

export const uploadImage: Write = {
  isEffect: pathOf("POST", /\/images(\?|$)/),
  prepare: Effect.fnUntraced(function* (writer, number) {
    const args = yield* imageUpload(writer, number)
    return {
      args,
      check: Effect.fnUntraced(function* ({ receipt }) {
        const query = `/upload-operations?postId=${args.post_id}`
        const { operations } = (yield* asPublisher(writer, "GET", query)).body
        assert.lengthOf(operations, 1)
        assert.deepInclude(operations[0].safety, {
          operationId: receipt.safety.operationId,
          received: true
        })
      })
    }
  })
}

export const associate: Write = {
  isEffect: pathOf("POST", /\/associate$/),
  prepare: Effect.fnUntraced(function* (writer, number) {
    const args = yield* uploaded(writer, number)
    return {
      args,
      check: Effect.fnUntraced(function* ({ receipt }) {
        const { safety } = yield* operationOf(writer, args.operation_id)
        assert.strictEqual(safety.operationId, receipt.safety.operationId)
        assert.isTrue(safety.desired)
      })
    }
  })
}

export const cancel: Write = {
  isEffect: pathOf("DELETE", /\/upload-operations\//),
  prepare: Effect.fnUntraced(function* (writer, number) {
    const args = yield* uploaded(writer, number)
    return {
      args,
      check: Effect.fnUntraced(function* () {
        const { safety } = yield* operationOf(writer, args.operation_id)
        assert.deepInclude(safety, { desired: false, state: "cancelled" })
      })
    }
  })
}

export const attachZip: Write = {
  isEffect: pathOf("POST", /\/attachments$/),
  prepare: Effect.fnUntraced(function* (writer, number) {
    yield* writer.workOff
    const { id, updatedAt: revision } = yield* drafted(writer, paid)
    const path = placed(writer, `${number}.zip`, zipOf([{ name: "a.txt", content: `Words ${number}` }]))
    return {
      args: { post_id: id, revision, path },
      check: Effect.fnUntraced(function* ({ receipt }) {
        const { operations } = (yield* asPublisher(writer, "GET", `/posts/${id}/attachments`)).body
        assert.deepStrictEqual(
          operations.map(({ safety }: any) => [safety.operationId, safety.received]),
          [[receipt.safety.operationId, true]]
        )
      })
    }
  })
}
