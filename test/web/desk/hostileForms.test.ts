import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ADMIN_TOKEN } from "../../support/actors/administrator.ts"
import { database } from "../../support/Database.ts"
import { soak } from "../../support/soak.ts"
import { service } from "../../support/TestClient.ts"
import { browser, type Browser } from "../browser.ts"
import { signIn } from "../signIn.ts"
import { deskAuthor } from "./author.ts"
import type { FormRequest } from "./DeskForm.ts"
import { forms } from "./everyForm.ts"

/** Values that no page of this service sends, and texts that people type by mistake. */
const WRONG = [
  "",
  "a\0b",
  "-1",
  "1e400",
  "99999999999999999999",
  "en_US",
  "http://[",
  "+275760-09-13",
  "constructor",
  "00000000-0000-4000-8000-000000000000",
  "\u202e\ufeff"
]

const TURNS = soak(2, 1)

/** In the short form, a form gets megabytes in one field, with a session or with one that ended, and the next ones the others. */
const LARGE_TURNS = soak(4, 1)

const MEGABYTES = '"'.repeat(5_000_000)
const ENCODED_MEGABYTES = "%22".repeat(1_600_000)

const press = (reader: Browser, { fields, file, path }: FormRequest) =>
  file === undefined ? reader.post(path, fields) : reader.postParts(path, fields, [file])

/** Checks what holds for the answer to any form. */
const checkAnswer = (answer: { readonly status: number; readonly text: string }, said: string) => {
  assert.isBelow(answer.status, 500, `${said} ${answer.text.slice(0, 300)}`)
  assert.isBelow(answer.text.length, 200_000, said)
}

layer(service(database("test_web_hostile_forms"), 1, { adminToken: ADMIN_TOKEN }))("Hostile forms", (it) => {
  forms.forEach((form, index) => {
    const number = 10 * index + 1

    it.effect(`The form to ${form.name} answers any value of a field, and gives back what was typed`, () =>
      Effect.gen(function* () {
        const author = yield* deskAuthor(number)
        const request = yield* form.request(author)
        for (const [nth, name] of Object.keys(request.fields).entries())
          for (const [at, value] of WRONG.entries()) {
            // In the short form, a field gets each second value, and the next field the others.
            if ((nth + index + at) % TURNS !== 0) continue
            const answer = yield* press(author.reader, {
              ...request,
              fields: { ...request.fields, [name]: value }
            })
            const said = `${form.name}: ${name}=${JSON.stringify(value)} ${answer.status}`
            checkAnswer(answer, said)
            const { isHidden, typed } = form
            // The thing that a moderator decides about does not exist.
            if (isHidden === true && answer.status === 404) continue
            if (answer.status >= 400 && typed !== undefined && !request.fields[name]?.includes(typed))
              assert.include(answer.text, typed, said)
          }
      })
    )

    it.effect(`The form to ${form.name} answers megabytes in any field of any type with little`, () =>
      Effect.gen(function* () {
        const author = yield* deskAuthor(number + 1)
        const request = yield* form.request(author)
        const ended = yield* browser
        yield* signIn(ended, number + 1)
        const jar = [...ended.jar]
        yield* ended.post("/sign-out")
        for (const [key, cookie] of jar) ended.jar.set(key, cookie)
        for (const [turn, reader] of [author.reader, ended].entries()) {
          for (const [nth, name] of Object.keys(request.fields).entries()) {
            if ((nth + turn) % TURNS !== 0) continue
            const fields = { ...request.fields, [name]: '"'.repeat(15_000) }
            checkAnswer(yield* reader.post(request.path, fields), `${form.name}: ${name}`)
          }
          for (const [nth, name] of ["title", "unknown"].entries()) {
            // The types below take turns by four.
            if ((nth + 2 * turn + Math.trunc(index / 4)) % LARGE_TURNS !== 0) continue
            const fields = { ...request.fields, [name]: MEGABYTES }
            const encoded = `${new URLSearchParams({ ...fields, [name]: "" })}`.replace(
              new RegExp(`(?<=(^|&)${name}=)`),
              ENCODED_MEGABYTES
            )
            const types = [
              () => reader.post(request.path, encoded),
              () => reader.postParts(request.path, fields, request.file ? [request.file] : []),
              () => reader.post(request.path, encoded, { "content-type": "application/json" }),
              () => reader.post(request.path, encoded, { "content-type": "text/plain" })
            ]
            // Each form gets one type, and the next form the next one; in the soak, each gets all.
            for (let at = index; at < index + soak(1, types.length); at++) {
              const answer = yield* types[at % types.length]!()
              checkAnswer(answer, `${form.name}: ${name} ${answer.status}`)
            }
          }
        }
      })
    )
  })
})
