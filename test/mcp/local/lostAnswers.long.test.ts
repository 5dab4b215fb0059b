import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SecureRandom, Digest } from "effect/crypto"
import * as ArchiveZip from "../../../layers/archives/ArchiveZip.ts"
import * as HttpClientLocal from "../../../layers/local/HttpClientLocal.ts"
import * as LocalFilesNode from "../../../layers/local/LocalFilesNode.ts"
import * as StateStoreSqlite from "../../../layers/local/StateStoreSqlite.ts"
import * as NanoProviderRpc from "../../../layers/nano/NanoProviderRpc.ts"
import * as BrowserMemory from "../../../layers/testing/BrowserMemory.ts"
import { services } from "../../../src/mcp/local/layer.ts"
import { Origin } from "../../../src/mcp/local/service/Origin.ts"
import { FirstWaitMillis } from "../../../src/mcp/local/service/retries.ts"
import { Setups } from "../../../src/mcp/local/setup/Setups.ts"
import { zipOf } from "../../publishing/archives/makeZip.ts"
import { pngOf } from "../../publishing/image-formats/png/makePng.ts"
import { started } from "../../wire/server.ts"
import { type Fault, faultProxy } from "./faultProxy.ts"
import { stateDirectory, toolsOf } from "./localEdition.ts"

/** One process of the local edition, as the program assembles it, with shorter waits. */
const editionOnSockets = (directory: string, origin: string) =>
  services.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        ArchiveZip.layer,
        BrowserMemory.layer,
        NanoProviderRpc.layer,
        LocalFilesNode.layer({ roots: [directory], downloads: join(directory, "downloads") })
      )
    ),
    Layer.provideMerge(
      Layer.mergeAll(
        StateStoreSqlite.layer({ directory, origin }),
        HttpClientLocal.layer,
        Layer.succeed(Origin, origin),
        Layer.succeed(FirstWaitMillis, 10),
        SecureRandom.layerWebCrypto,
        Digest.layerWebCrypto
      )
    )
  )

const FAULTS: ReadonlyArray<Fault> = ["unsent", "lost", "cut", "busy", "down"]

describe("the answer of a write that is lost on its way", () => {
  it.live("A lost answer is asked for again with the same key, and the write is done once", () =>
    Effect.gen(function* () {
      const { origin: target } = yield* started("test_mcp_local_lost_answers", {}, { SCANNER: "none" })
      const proxy = yield* faultProxy(target)
      const directory = yield* stateDirectory
      yield* Effect.gen(function* () {
        yield* (yield* Setups).newIdentity({ intent: "agent", name: "An agent", handle: "agent_lost" })
        const { call } = yield* toolsOf
        const done = (tool: string, args: object) =>
          Effect.map(call(tool, args), ({ isError, result, text }) => {
            assert.isFalse(isError, `${tool}: ${text}`)
            return result
          })

        /** Calls a tool whose write meets two faults, and again until it learns the outcome. */
        const through = Effect.fnUntraced(function* (fault: Fault, path: RegExp, tool: string, args: object) {
          proxy.passed.length = 0
          let left = 2
          const isWrite = (it: { readonly method: string; readonly path: string }) =>
            it.method !== "GET" && path.test(it.path)
          proxy.plan.faultOf = (it) => (isWrite(it) && left-- > 0 ? fault : undefined)
          let answer = yield* call(tool, args)
          for (let calls = 1; answer.isError && calls < 3; calls++) {
            const code = fault === "busy" ? "rate-limited" : "outcome-unknown"
            assert.strictEqual(JSON.parse(answer.text).code, code, `${tool}, ${fault}`)
            answer = yield* call(tool, args)
          }
          assert.isFalse(answer.isError, `${tool}, ${fault}: ${answer.text}`)
          assert.strictEqual(answer.result.operation.phase, "complete")
          const writes = proxy.passed.filter(isWrite)
          for (const { body, key } of writes) {
            assert.isDefined(key)
            assert.deepStrictEqual([key, body], [writes[0]?.key, writes[0]?.body], `${tool}, ${fault}`)
          }
          proxy.plan.faultOf = () => undefined
          return { result: answer.result, writes: writes.length }
        })

        mkdirSync(directory, { recursive: true })
        for (const [index, fault] of FAULTS.entries()) {
          const title = `Once, ${fault}`
          const { result, writes } = yield* through(fault, /^\/api\/v1\/posts$/, "svc_create_draft", {
            title,
            free_content_markdown: "One."
          })
          assert.strictEqual(writes, 3, fault)
          const { drafts } = yield* done("svc_list_drafts", { per_page: 50 })
          assert.lengthOf(
            drafts.filter((draft: { title: string }) => draft.title === title),
            1
          )

          // Bytes that arrived are not sent again: the service is asked first.
          const hasArrived = fault !== "unsent"
          const picture = join(directory, `${fault}.png`)
          writeFileSync(picture, pngOf({ width: 8, height: 8, seed: index }))
          const image = yield* through(fault, /\/images/, "svc_upload_image", {
            target: "og",
            post_id: result.draft.id,
            revision: result.draft.revision,
            path: picture
          })
          assert.isTrue(image.result.receipt.safety.received)
          assert.strictEqual(image.writes, hasArrived ? 1 : 3, fault)

          const paid = yield* done("svc_create_draft", {
            title: `Paid, ${fault}`,
            paid_content_markdown: "Words.",
            enable_paywall: true,
            price_raw: "1000000000000000000000000000"
          })
          const archive = join(directory, `${fault}.zip`)
          writeFileSync(archive, zipOf([{ name: "a.txt", content: fault }]))
          const zip = yield* through(fault, /\/attachments$/, "svc_attach_zip", {
            post_id: paid.draft.id,
            revision: paid.draft.revision,
            path: archive
          })
          assert.isTrue(zip.result.receipt.safety.received)
          assert.strictEqual(zip.writes, hasArrived ? 1 : 3, fault)
          const { attachments } = yield* done("svc_attachment_status", { post_id: paid.draft.id })
          assert.lengthOf(attachments, 1)
        }
      }).pipe(Effect.provide(editionOnSockets(directory, proxy.origin)))
    })
  )
})
