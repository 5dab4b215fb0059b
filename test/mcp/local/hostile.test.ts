import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { StateStore } from "../../../src/mcp/local/ports/StateStore.ts"
import { readCredential } from "../../../src/mcp/local/state/credentials.sql.ts"
import { Cleaner } from "../../../src/mcp/tools/untrusted.ts"
import { Logs } from "../../platform/http/Logs.ts"
import { authorOf } from "../../support/actors/author.ts"
import { TestClient } from "../../support/TestClient.ts"
import { asIdentity } from "./asIdentity.ts"
import { CORPUS, MARK, marksOutside } from "./corpus.ts"
import { serviceBehindWire } from "./localEdition.ts"

layer(serviceBehindWire("test_mcp_local_hostile").pipe(Layer.provideMerge(Logs.layer)))(
  "hostile text",
  (it) => {
    it.effect("Hostile text stands only under `untrusted`, and secrets stand only in the state", () =>
      Effect.gen(function* () {
        const logs = yield* Logs
        const client = yield* TestClient
        const author = yield* authorOf(7)
        const cleaned = (text: string) => new Cleaner().text(text)
        yield* asIdentity("agent", "agent_hostile", ({ call }, directory) =>
          Effect.gen(function* () {
            const results: Array<unknown> = []
            const use = (name: string, args: object = {}) =>
              Effect.tap(call(name, args), (result) => Effect.sync(() => results.push(result)))
            for (const [index, text] of CORPUS.entries()) {
              const plain = cleaned(text).replaceAll("\n", " ")
              const post = yield* author.published({
                title: plain,
                description: plain,
                freeContentMarkdown: `~~~~\n${text}\n~~~~`
              })
              const { body: comment } = yield* client.send("POST", `/api/v1/posts/${post.id}/comments`, {
                token: author.accessToken,
                headers: { "idempotency-key": `hostile-${index}` },
                body: { content: plain }
              })
              const read = yield* use("svc_read_content", { post_id: post.id })
              assert.strictEqual(
                read.result.untrusted.contentMarkdown,
                cleaned(post.freeContentMarkdown ?? "")
              )
              yield* use("svc_preview", { post_id: post.id })
              yield* use("svc_search", { query: MARK })
              const card = yield* use("svc_comment", { comment_id: comment.id })
              assert.strictEqual(card.result.comment.untrusted.content, comment.content)
              yield* use("svc_comments", { post_id: post.id })
              yield* use("svc_reactions", { target_type: "post", target_id: post.id, reaction: "heart" })
            }
            yield* use("svc_notifications", { include_all: true })
            yield* use("svc_context")
            for (const result of results) assert.deepStrictEqual(marksOutside((result as any).result), [])
            // Arguments of a model are no part of a failure, a log or a path.
            const failures = [
              yield* use("svc_preview", { post_id: MARK }),
              yield* use("svc_publish", { post_id: crypto.randomUUID(), revision: MARK }),
              yield* use("svc_context", { [MARK]: true })
            ]
            assert.isTrue(failures.every(({ isError }) => isError))
            assert.notInclude(JSON.stringify(failures[1]), MARK)

            const store = yield* StateStore
            const secrets = yield* store.read((tx) =>
              Effect.succeed(
                (["wallet-seed", "access-token", "refresh-token", "publishing-key"] as const).map((name) => {
                  const value = readCredential(tx, name)?.value
                  return value === undefined ? "missing" : Redacted.value(value)
                })
              )
            )
            const shown = JSON.stringify([results, logs])
            const state = readFileSync(join(directory, "state.db"), "latin1")
            for (const secret of secrets) {
              assert.isAbove(secret.length, 20)
              assert.notInclude(shown, secret)
              // Once as a credential: no intent, step or grant repeats it.
              assert.strictEqual(state.split(secret).length, 2)
            }
            assert.notInclude(JSON.stringify(logs), MARK)
          })
        )
      })
    )
  }
)
