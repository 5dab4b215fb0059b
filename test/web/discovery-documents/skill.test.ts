import { createHash } from "node:crypto"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { parse } from "yaml"
import { skillIndex, skillNameOf, skillText } from "../../../src/web/discovery-documents/skill.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, service, TestClient } from "../../support/TestClient.ts"

const INDEX = "/.well-known/agent-skills/index.json"

/** The names that the format of skills allows. */
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/

/** The head of a skill, and the text behind it. */
const partsOf = (skill: string) => {
  const [, head = "", text = ""] = /^---\n([^]*?)\n---\n\n([^]*)$/.exec(skill) ?? []
  return { head: parse(head), text }
}

describe("the skill of a site", () => {
  for (const base of [
    "https://press.example",
    "http://localhost:4020",
    "http://[::1]:4020",
    "http://127.0.0.1:4020",
    "https://xn--mller-kva.example",
    `https://${"a".repeat(63)}.example`
  ])
    it(`The skill of ${base} has a name that installers accept`, () => {
      const name = skillNameOf(base)
      assert.match(name, NAME)
      assert.isAtMost(name.length, 64)
    })

  it("The name of a site cannot break out of the head of its skill", () => {
    for (const name of ['Mara & <Söhne> "مارا"', "---\nname: other", "it's: a #site", "C:\\press"]) {
      const described = { name, base: "https://press.example", takesPayments: true }
      const { head, text } = partsOf(skillText(described, "# Text\n"))
      assert.deepStrictEqual(Object.keys(head), ["name", "description"])
      assert.strictEqual(head.name, "press-example")
      assert.include(head.description, name)
      assert.isAtMost(head.description.length, 1024)
      assert.strictEqual(text, "# Text\n")
    }
  })

  it("The skill of a service that takes no payments offers none", () => {
    const described = { name: "Press", base: "https://press.example", takesPayments: false }
    assert.notMatch(JSON.stringify(skillIndex(described, "")), /buy|sell|XNO/)
  })
})

layer(service(database("test_documents_skill")))("/.well-known/agent-skills", (it) => {
  it.effect("An installer finds a skill with its digest, and its text is that of /llms.txt", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { body, headers } = yield* client.send("GET", INDEX)
      assert.strictEqual(headers.get("content-type"), "application/json")
      assert.strictEqual(body.$schema, "https://schemas.agentskills.io/discovery/0.2.0/schema.json")
      assert.lengthOf(body.skills, 1)
      const [{ description, digest, name, type, url }] = body.skills
      assert.deepStrictEqual([name, type], ["press-test", "skill-md"])
      assert.strictEqual(url, `${BASE_URL}/.well-known/agent-skills/press-test/SKILL.md`)
      const skill = yield* client.send("GET", url.slice(BASE_URL.length))
      assert.strictEqual(skill.headers.get("content-type"), "text/markdown; charset=utf-8")
      assert.strictEqual(digest, `sha256:${createHash("sha256").update(skill.text).digest("hex")}`)
      const { head, text } = partsOf(skill.text)
      assert.deepStrictEqual(head, { name, description })
      assert.strictEqual(text, (yield* client.send("GET", "/llms.txt")).text)
      assert.strictEqual((yield* client.send("HEAD", INDEX)).status, 200)
      assert.strictEqual((yield* client.send("GET", "/.well-known/agent-skills/other/SKILL.md")).status, 404)
    })
  )
})
