import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { readReaderList } from "../../../../src/engagement/subscribers/imports/readerList.ts"

const read = (lines: ReadonlyArray<string>) => readReaderList(lines.join("\r\n"))

const outcome = (lines: ReadonlyArray<string>) =>
  Effect.map(read(lines), ({ readers, refused }) => ({
    readers: readers.map(({ email, state }) => `${email} ${state}`),
    refused: refused.map(({ code, line }) => `${line} ${code}`)
  }))

const refusalOf = (csv: string) =>
  Effect.map(Effect.flip(readReaderList(csv)), ({ errors }) =>
    errors.map(({ code, field }) => `${field} ${code}`).join()
  )

describe("a list of readers", () => {
  it.effect("Substack's export leaves out those who turned mail off", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* outcome([
          "email,active_subscription,expiry,plan,email_disabled,created_at,first_payment_at",
          "ada@example.org,false,,other,false,2025-03-01T10:00:00.000Z,",
          "paid@example.org,true,2027-01-01T00:00:00.000Z,yearly,false,2025-03-02T10:00:00.000Z,2025-03-02T10:00:00.000Z",
          "off@example.org,false,,other,true,2025-03-03T10:00:00.000Z,"
        ]),
        {
          readers: ["ada@example.org pending", "paid@example.org pending", "off@example.org ended"],
          refused: ["4 unsubscribed"]
        }
      )
    })
  )

  it.effect("Ghost's export leaves out those who get no mail and those who were deleted", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* outcome([
          "id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,deleted_at,labels,tiers",
          '651,ada@example.org,"Lovelace, Ada","met her\nin London",true,false,,2025-03-01T10:00:00.000Z,,,',
          "652,off@example.org,Off,,false,false,,2025-03-01T10:00:00.000Z,,,",
          "653,gone@example.org,Gone,,true,false,,2025-03-01T10:00:00.000Z,2025-04-01T10:00:00.000Z,,",
          "654,no address,,,true,false,,2025-03-01T10:00:00.000Z,,,"
        ]),
        {
          readers: ["ada@example.org pending", "off@example.org ended", "gone@example.org ended"],
          // The note of the first reader has two lines.
          refused: ["4 unsubscribed", "5 unsubscribed", "6 invalid"]
        }
      )
    })
  )

  it.effect("Buttondown's export keeps regular and premium readers alone", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* outcome([
          "id,email_address,creation_date,subscriber_type,source,unsubscription_date,tags",
          "1,ada@example.org,2025-03-01,regular,api,,",
          "2,rich@example.org,2025-03-01,premium,api,,",
          "3,new@example.org,2025-03-01,unactivated,api,,",
          "4,left@example.org,2025-03-01,unsubscribed,api,2025-05-01,",
          "5,dead@example.org,2025-03-01,undeliverable,api,,",
          "6,angry@example.org,2025-03-01,complained,api,,"
        ]),
        {
          readers: [
            "ada@example.org pending",
            "rich@example.org pending",
            "left@example.org ended",
            "dead@example.org bounced",
            "angry@example.org bounced"
          ],
          refused: ["4 unconfirmed", "5 unsubscribed", "6 bounced", "7 bounced"]
        }
      )
    })
  )

  it.effect("Mailchimp's exports say in their times who left and whose mail did not arrive", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* outcome([
          '"Email Address","First Name","Last Name",MEMBER_RATING,OPTIN_TIME,CONFIRM_TIME,UNSUB_TIME,CLEAN_TIME',
          'ada@example.org,Ada,Lovelace,2,"2025-03-01 10:00:00","2025-03-01 10:00:00",,',
          'left@example.org,Le,Ft,2,"2025-03-01 10:00:00",,"2025-05-01 10:00:00",',
          'dead@example.org,De,Ad,2,"2025-03-01 10:00:00",,,"2025-05-01 10:00:00"'
        ]),
        {
          readers: ["ada@example.org pending", "left@example.org ended", "dead@example.org bounced"],
          refused: ["3 unsubscribed", "4 bounced"]
        }
      )
    })
  )

  it.effect("An export of this service, a pasted list and a spreadsheet's table are lists, too", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* outcome([
          "\uFEFFemail,state,source,created_at,confirmed_at,ended_at",
          "'=ada@example.org,active,form,2026-01-01T00:00:00.000000Z,2026-01-01T00:00:00.000000Z,",
          "left@example.org,ended,form,2026-01-01T00:00:00.000000Z,,2026-02-01T00:00:00.000000Z"
        ]),
        { readers: ["=ada@example.org pending", "left@example.org ended"], refused: ["3 unsubscribed"] }
      )
      assert.deepStrictEqual(
        yield* outcome(["", " ada@example.org ", "", "ADA@Example.org", "grace@example.org"]),
        { readers: ["ada@example.org pending", "grace@example.org pending"], refused: ["4 repeated"] }
      )
      assert.deepStrictEqual(yield* outcome(["Name;E-Mail", "Ada;ada@example.org"]), {
        readers: ["ada@example.org pending"],
        refused: []
      })
    })
  )

  it.effect("A list is refused if it is empty, damaged, too long or without addresses", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusalOf(" \n\n"), "csv required")
      assert.strictEqual(yield* refusalOf("email\n"), "csv required")
      assert.strictEqual(yield* refusalOf('email\n"ada@example.org\n'), "csv invalid")
      assert.strictEqual(yield* refusalOf("name,city\nAda,London\n"), "csv no_addresses")
      const rows = (count: number) =>
        Array.from({ length: count }, (_, n) => `reader${n}@example.org`).join("\n")
      assert.strictEqual((yield* readReaderList(rows(10_000))).readers.length, 10_000)
      assert.strictEqual(yield* refusalOf(rows(10_001)), "csv too_many")
    })
  )

  it("Any text is read or refused, and each row is a reader or has a reason", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.constantFrom("email", "status", ",", ";", "\n", "\r\n", '"', "a@example.org", "ended", "'"),
            fc.string({ maxLength: 5, unit: "binary" })
          )
        ),
        (parts) => {
          const result = Effect.runSync(Effect.result(readReaderList(parts.join(""))))
          if (result._tag === "Failure") return
          const { readers, refused, rows } = result.success
          const pending = readers.filter(({ state }) => state === "pending")
          assert.strictEqual(pending.length + refused.length, rows)
        }
      )
    ))
})
