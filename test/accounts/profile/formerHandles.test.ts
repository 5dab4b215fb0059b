import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { completePost, publisher } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

layer(service(database("test_former_handles")))("redirects after a handle change (4.2.10)", (it) => {
  const rename = Effect.fnUntraced(function* (key: string, handle: string) {
    const answer = yield* (yield* TestClient).send("PATCH", "/api/v1/profile", {
      token: key,
      body: { handle }
    })
    assert.strictEqual(answer.status, 200, answer.text)
  })

  /** Returns the status of a path and the location that it redirects to. */
  const leads = Effect.fnUntraced(function* (path: string) {
    const { headers, status } = yield* (yield* TestClient).send("GET", path)
    return [status, headers.get("location")] as const
  })

  const published = Effect.fnUntraced(function* (number: number) {
    const client = yield* TestClient
    const owner = yield* publisher(number)
    const { body } = yield* client.send("POST", "/api/v1/posts", { token: owner.key, body: completePost })
    yield* client.send("POST", `/api/v1/posts/${body.id}/publish`, {
      token: owner.key,
      headers: { "idempotency-key": "p" }
    })
    return { ...owner, slug: body.slug as string }
  })

  it.effect("Old public URLs redirect with 308 to the new ones and keep their query", () =>
    Effect.gen(function* () {
      const { handle, key, slug } = yield* published(1)
      yield* rename(key, "renamed1")
      const paths = {
        [`/@${handle}`]: "/@renamed1",
        [`/@${handle}/${slug}`]: `/@renamed1/${slug}`,
        [`/@${handle.toUpperCase()}/${slug}?ref=mail`]: `/@renamed1/${slug}?ref=mail`,
        [`/api/profile/${handle}`]: "/api/profile/renamed1",
        [`/api/profile/${handle}/summary`]: "/api/profile/renamed1/summary",
        [`/api/profile/${handle}/posts?per_page=5`]: "/api/profile/renamed1/posts?per_page=5",
        [`/api/profile/${handle}/activity?limit=5`]: "/api/profile/renamed1/activity?limit=5"
      }
      for (const [old, now] of Object.entries(paths)) {
        assert.deepStrictEqual(yield* leads(old), [308, now])
        assert.deepStrictEqual(yield* leads(now), [200, null])
      }
    })
  )

  it.effect("Redirects begin immediately, although an answer was kept for the old handle", () =>
    Effect.gen(function* () {
      const { handle, key } = yield* publisher(7)
      const client = yield* TestClient
      const paths = ["", "/summary", "/posts", "/activity"]
      const read = (name: string) =>
        Effect.forEach(paths, (path) =>
          Effect.map(leads(`/api/profile/${name}${path}`), ([status]) => status)
        )
      assert.deepStrictEqual(yield* read(handle), [200, 200, 200, 200])
      yield* rename(key, "renamed7")
      assert.deepStrictEqual(yield* read(handle), [308, 308, 308, 308])
      assert.deepStrictEqual(yield* read("renamed7"), [200, 200, 200, 200])

      const author = yield* published(8)
      const found = Effect.map(client.send("GET", "/api/posts?handle=renamed8"), ({ body }) => body.total)
      assert.strictEqual(yield* found, 0)
      yield* rename(author.key, "renamed8")
      assert.strictEqual(yield* found, 1)
    })
  )

  it.effect("Caches keep a redirect for 15 seconds, because another owner may claim the handle", () =>
    Effect.gen(function* () {
      const { handle, key } = yield* published(2)
      yield* rename(key, "renamed2")
      const { headers } = yield* (yield* TestClient).send("GET", `/@${handle}`)
      assert.strictEqual(headers.get("cache-control"), "public, max-age=15")
    })
  )

  it.effect("A redirect after several changes leads to the handle that the owner has now", () =>
    Effect.gen(function* () {
      const { handle, key, slug } = yield* published(3)
      yield* rename(key, "second3")
      yield* rename(key, "third3")
      for (const old of [handle, "second3"])
        assert.deepStrictEqual(yield* leads(`/@${old}/${slug}`), [308, `/@third3/${slug}`])
      yield* rename(key, handle)
      assert.deepStrictEqual(yield* leads(`/@${handle}/${slug}`), [200, null])
      assert.deepStrictEqual(yield* leads("/@third3"), [308, `/@${handle}`])
    })
  )

  it.effect("The old paths end once another owner claims the old handle", () =>
    Effect.gen(function* () {
      const first = yield* published(4)
      const second = yield* published(5)
      yield* rename(first.key, "renamed4")
      yield* rename(second.key, first.handle)
      assert.deepStrictEqual(yield* leads(`/@${first.handle}`), [200, null])
      assert.deepStrictEqual(yield* leads(`/@${first.handle}/no-such-post`), [404, null])
      assert.deepStrictEqual(yield* leads(`/@${second.handle}`), [308, `/@${first.handle}`])
      // After its second owner gives it up, it leads to that owner.
      yield* rename(second.key, "renamed5")
      assert.deepStrictEqual(yield* leads(`/@${first.handle}`), [308, "/@renamed5"])
    })
  )

  it.effect("A change of case redirects nothing, and an unknown handle is 404", () =>
    Effect.gen(function* () {
      const { handle, key, slug } = yield* published(6)
      yield* rename(key, handle.toUpperCase())
      assert.deepStrictEqual(yield* leads(`/@${handle}/${slug}`), [200, null])
      for (const path of [
        "/@nobody_here",
        "/@nobody_here/x",
        "/api/profile/nobody_here",
        "/@%00",
        "/api/profile/%2e"
      ])
        assert.deepStrictEqual(yield* leads(path), [404, null], path)
    })
  )
})
