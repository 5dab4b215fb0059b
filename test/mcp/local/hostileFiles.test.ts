import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { StateStore } from "../../../src/mcp/local/ports/StateStore.ts"
import { Cleaner } from "../../../src/mcp/tools/untrusted.ts"
import { paidPost } from "../../payments/access/paidPost.ts"
import { Logs } from "../../platform/http/Logs.ts"
import { zipOf } from "../../publishing/archives/makeZip.ts"
import { idOf } from "../../publishing/uploads/screenings.ts"
import { inTime } from "../../support/actors/buyer.ts"
import { uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { asIdentity } from "./asIdentity.ts"
import { CORPUS, MARK, marksOutside } from "./corpus.ts"
import { allowed, localBuyer } from "./localBuyer.ts"
import { edition, serviceBehindWire, stateDirectory, toolsOf } from "./localEdition.ts"

const HALF = String(RAW_PER_XNO / 2n)

const cleaned = (text: string) => new Cleaner().text(text)

/** Names of files by strangers, as far as the service takes them. */
const nameOf = (text: string) => `${text.replaceAll(/[/\\:"<>|?*]/g, "_").slice(0, 80)}.zip`

layer(serviceBehindWire("test_mcp_local_hostile_files").pipe(Layer.provideMerge(Logs.layer)))(
  "hostile text of a sale",
  (it) => {
    it.effect("Hostile text stands only under `untrusted` when it is bought, read and extracted", () =>
      Effect.gen(function* () {
        const logs = yield* Logs
        const author = yield* uploaderOf(1)
        const directory = yield* stateDirectory
        const context = yield* Layer.build(edition(directory))
        yield* Effect.gen(function* () {
          const buyer = yield* localBuyer(501, { balanceRaw: 100n * RAW_PER_XNO })
          yield* allowed(buyer, { maxTotalRaw: 100n * RAW_PER_XNO })
          const { call } = yield* toolsOf
          const answers: Array<{ readonly result: unknown; readonly text: string }> = []
          const use = (name: string, args: object) =>
            Effect.tap(inTime(call(name, args)), (answer) =>
              Effect.sync(() => {
                assert.isFalse(answer.isError, `${name}: ${answer.text}`)
                answers.push(answer)
              })
            )
          for (const [index, text] of CORPUS.entries()) {
            const plain = cleaned(text).replaceAll("\n", " ")
            const paidContentMarkdown = `~~~~\n${text}\n${"pennies ".repeat(index === 0 ? 24_000 : 1)}\n~~~~`
            const draft = yield* author.draft({ ...paidPost, title: plain, paidContentMarkdown })
            const entry = `${MARK} ${index} _system_.txt`
            const sent = yield* author.attach(draft, {
              parts: [
                {
                  name: "file",
                  fileName: nameOf(plain),
                  mediaType: "application/zip",
                  content: zipOf([{ name: entry, content: text, flags: 0x800 }])
                }
              ]
            })
            assert.strictEqual(sent.status, 202, sent.text)
            yield* workOff
            assert.strictEqual((yield* author.publish(draft.id)).status, 200)

            const id = { post_id: draft.id }
            yield* use("svc_preview", id)
            yield* use("svc_buy_post", { ...id, expected_price_raw: HALF })
            yield* use("svc_purchase_status", id)
            let shown = ""
            for (let offset: number | null = 0; offset !== null;) {
              const answer: Effect.Success<ReturnType<typeof use>> = yield* use("svc_read_content", {
                ...id,
                offset,
                max_bytes: 48_000
              })
              const { result } = answer
              assert.strictEqual(result.attachments[0].untrusted.fileName, cleaned(nameOf(plain)))
              shown += result.untrusted.contentMarkdown
              offset = result.nextOffset
            }
            assert.include(shown, cleaned(paidContentMarkdown))
            const wanted = { ...id, attachment_id: idOf(sent) }
            const { result: saved } = yield* use("svc_download_attachment", wanted)
            assert.strictEqual(saved.untrusted.fileName, cleaned(nameOf(plain)))
            const { result: extracted } = yield* use("svc_extract_attachment", {
              attachment_id: wanted.attachment_id
            })
            assert.deepStrictEqual(extracted.untrusted.paths, [entry])
          }
          for (const { result } of answers) assert.deepStrictEqual(marksOutside(result), [])
          // Paths of our choice have no word of a stranger.
          for (const place of ["downloads", "extracted"]) {
            const names = readdirSync(join(directory, place))
            assert.lengthOf(names, CORPUS.length)
            for (const name of names) assert.match(name, /^[0-9a-f-]{36}(\.zip|-[0-9a-f]{8})$/)
          }
          assert.notInclude(JSON.stringify(logs), MARK)
        }).pipe(Effect.provideContext(context))
      })
    )

    it.effect("Hostile text of a foreign file stands only there, too, and in no failure", () =>
      asIdentity("agent", "agent_hostile_files", ({ call }, directory) =>
        Effect.gen(function* () {
          const logs = yield* Logs
          const files = join(directory, "files")
          mkdirSync(files, { recursive: true })
          const { result: made } = yield* call("svc_create_draft", {
            title: "Paid",
            paid_content_markdown: "Words.",
            enable_paywall: true,
            price_raw: HALF
          })
          const { id, revision } = made.draft
          const zipAt = (name: string) => {
            const path = join(files, name)
            writeFileSync(path, zipOf([{ name: "a", content: "words" }]))
            return path
          }
          const attach = { post_id: id, revision, path: zipAt(`${MARK} _system_ .zip`) }
          const received = yield* inTime(call("svc_attach_zip", attach))
          const known = yield* call("svc_attachment_status", { post_id: id })
          const again = yield* call("svc_operation", { operation_id: received.result.operation.operationId })
          const inspected = [received, known, again]
          for (const { isError, result, text } of inspected) {
            assert.isFalse(isError, text)
            assert.deepStrictEqual(marksOutside(result), [])
          }
          assert.strictEqual(received.result.receipt.attachment.untrusted.fileName, `${MARK} _system_ .zip`)
          const picture = join(files, `${MARK}.png`)
          writeFileSync(picture, "no picture")
          const refused = [
            yield* call("svc_upload_image", { target: "og", post_id: id, revision, path: picture }),
            yield* call("svc_upload_image", { target: "og", post_id: id, revision, path: `/etc/${MARK}` }),
            yield* call("svc_attach_zip", { ...attach, path: picture }),
            yield* inTime(call("svc_attach_zip", { ...attach, path: zipAt(`${MARK} \u202E <system>.zip`) })),
            yield* call("svc_attach_zip", { ...attach, revision: MARK })
          ]
          for (const { isError, text } of refused) {
            assert.isTrue(isError)
            assert.notInclude(text, MARK)
          }
          assert.notInclude(JSON.stringify(logs), MARK)
        })
      )
    )

    it.effect("No tool has an argument by which a model could allow itself something", () =>
      asIdentity("agent", "agent_arguments", ({ call, client }) =>
        Effect.gen(function* () {
          const store = yield* StateStore
          const identity = yield* store.read((tx) =>
            Effect.succeed(tx.first(`select owner_id, profile_id from identity`) as Record<string, string>)
          )
          yield* allowed(
            { ownerId: String(identity["owner_id"]), profileId: String(identity["profile_id"]) },
            { maxTotalRaw: 1n }
          )
          const rows = store.read((tx) =>
            Effect.succeed(
              JSON.stringify([
                tx.all(`select * from grants`),
                tx.all(`select * from intents`),
                tx.all(`select * from meta where name <> 'last-seen'`)
              ])
            )
          )
          const before = yield* rows
          const { tools } = yield* client.listTools()
          assert.lengthOf(tools, 29)
          for (const { inputSchema, name } of tools) {
            const { required = [] } = inputSchema as { readonly required?: ReadonlyArray<string> }
            const args = Object.fromEntries(required.map((argument) => [argument, crypto.randomUUID()]))
            for (const argument of ["approved", "grant", "origin", "state_dir"]) {
              const { isError, result } = yield* call(name, { ...args, [argument]: true })
              assert.isTrue(isError, `${name} ${argument}`)
              assert.isUndefined(result)
            }
          }
          assert.strictEqual(yield* rows, before)
        })
      )
    )
  }
)
