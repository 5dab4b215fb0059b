import { execFile } from "node:child_process"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeAccount } from "../mcp/local/intents/killing.ts"
import { toolProcess } from "../mcp/local/intents/toolProcess.ts"
import { paid, PRICE } from "../mcp/local/intents/writer.ts"
import { stateDirectory } from "../mcp/local/localEdition.ts"
import { rowsOf, secretOf } from "../mcp/local/stateFile.ts"
import { PROGRAM } from "../mcp/local/svcMcp.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { TestClient } from "../support/TestClient.ts"
import { type SystemCall, systemCallsOf, traced } from "./systemCalls.ts"

const CREDENTIALS = ["wallet-seed", "access-token", "refresh-token", "publishing-key"] as const

/** Returns every secret of a state directory. */
const secretsOf = (directory: string) => {
  const purchases = rowsOf(directory, "select payment, receipt from purchases where payment is not null")
  return [
    ...CREDENTIALS.map((name) => secretOf(directory, name)),
    ...purchases.flatMap(({ payment, receipt }) => [String(payment), String(receipt)])
  ]
}

const isSocket = ({ place }: SystemCall) => place.startsWith("TCP")

/** Checks that secrets are written to the files of the state alone, and sent to the service alone. The seed is not sent at all. */
const checkSecrets = (
  calls: ReadonlyArray<SystemCall>,
  directory: string,
  secrets: ReadonlyArray<string>
) => {
  const [seed = ""] = secrets
  let written = 0
  for (const secret of secrets) {
    assert.isAbove(secret.length, 20)
    for (const call of calls) {
      if (!call.text.includes(secret)) continue
      const isState = call.place.startsWith(join(directory, "state.db"))
      assert.isTrue(isState || (isSocket(call) && secret !== seed), `${call.name} to ${call.place}`)
      if (isState) written++
    }
  }
  return written
}

/** Checks that all writes to the state are durable whenever one of these requests is sent. Returns the number of requests. */
const checkOrder = (
  calls: ReadonlyArray<SystemCall>,
  directory: string,
  isEffect: (text: string) => boolean
) => {
  const volatile = new Set<string>()
  let requests = 0
  for (const call of calls) {
    const { name, place, text } = call
    if (place.startsWith(directory)) {
      if (/^pwrite|^write/.test(name)) volatile.add(place)
      if (/^(fsync|fdatasync)$/.test(name)) volatile.delete(place)
      if (name.startsWith("unlink")) {
        volatile.delete(place)
        // The removal of a journal is the commit.
        volatile.add(dirname(place))
      }
    }
    if (!isSocket(call) || !isEffect(text)) continue
    requests++
    assert.deepStrictEqual([...volatile], [], text.slice(0, 100))
  }
  return requests
}

describe("the system calls of svc-mcp", () => {
  it.live("Secrets are written only to the state, and an intent to the disk before it is sent", () =>
    Effect.gen(function* () {
      const { client, proxy, writer } = yield* makeAccount(70)
      const log = join(yield* temporaryDirectory, "calls")

      // A setup, whose terminal shows no secret either.
      const made = yield* stateDirectory
      const [strace = "", ...words] = traced(`${log}-setup`)
      const place = ["--origin", proxy.origin, "--state-dir", made]
      const setup = ["setup", "new-agent", "--name", "Agent", "--handle", "traced_agent"]
      yield* Effect.promise(() =>
        promisify(execFile)(strace, [...words, process.execPath, PROGRAM, ...place, ...setup])
      )
      const ofSetup = systemCallsOf(`${log}-setup`)
      assert.isAbove(
        checkSecrets(
          ofSetup,
          made,
          CREDENTIALS.map((name) => secretOf(made, name))
        ),
        3
      )
      const declarations = checkOrder(ofSetup, made, (text) => /"POST [^ ]*declare-agent/.test(text))
      assert.isAbove(declarations, 0)

      const { directory, stranger } = writer
      const { id } = yield* stranger
        .published({ ...paid, title: "Traced" })
        .pipe(Effect.provideService(TestClient, client))
      rowsOf(directory, "update credentials set expires_at = 1 where name = 'access-token'")
      const tools = toolProcess(proxy.origin, directory, traced(`${log}-serve`))
      const answers = yield* Effect.promise(async () => {
        const all = [
          await tools.call("svc_context", {}),
          await tools.call("svc_create_draft", { title: "Traced", free_content_markdown: "One." }),
          await tools.call("svc_buy_post", { post_id: id, expected_price_raw: String(PRICE) }),
          await tools.call("svc_read_content", { post_id: id }),
          await tools.call("svc_publish", { post_id: id, revision: "none" }),
          await tools.call("svc_upload_image", { target: "avatar", path: join(directory, "state.db") }),
          await tools.call("svc_notifications", { include_all: true })
        ]
        await tools.end()
        return all
      })
      assert.deepStrictEqual(
        answers.map(({ isError }) => isError === true),
        [false, false, false, false, true, true, false]
      )
      const calls = systemCallsOf(`${log}-serve`)
      const secrets = secretsOf(directory)
      assert.lengthOf(secrets, 6)
      // A renewed session, a payment and a receipt.
      assert.isAbove(checkSecrets(calls, directory, secrets), 3)
      for (const secret of secrets) assert.notInclude(tools.log() + JSON.stringify(answers), secret)
      const isEffect = (text: string) => /"POST [^ ]*v1\/posts |payment-signature: /i.test(text)
      assert.isAtLeast(checkOrder(calls, directory, isEffect), 2)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
