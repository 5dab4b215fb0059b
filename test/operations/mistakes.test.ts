import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { call, failureOf } from "../mcp/toolServer.ts"
import { RawClient, rawClient } from "../platform/http/RawClient.ts"
import { completePost, publisher } from "../support/actors/owner.ts"
import { database } from "../support/Database.ts"
import { service } from "../support/TestClient.ts"

interface Author {
  readonly key: string
  readonly accessToken: string
  readonly post: string
  readonly revision: string
}

/** A request with one natural mistake, and the words that correct it. */
interface Mistake {
  readonly says: string
  readonly method?: string
  readonly path: string | ((author: Author) => string)
  readonly as?: "key" | "accessToken" | undefined
  readonly headers?: Readonly<Record<string, string>> | ((author: Author) => Record<string, string>)
  readonly body?: unknown
  readonly type?: string
  readonly status: number
  readonly answer: ReadonlyArray<RegExp>
}

const UUID = "3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0a12"
const POST = "/api/v1/posts"
const ofPost =
  (rest = "") =>
  ({ post }: Author) =>
    `${POST}/${post}${rest}`

/** The parts of a mistake that its kind does not give. */
type Rest = Pick<Mistake, "says" | "answer"> & Partial<Pick<Mistake, "as" | "headers" | "type" | "status">>

const create = (body: unknown, rest: Rest): Mistake => ({
  method: "POST",
  path: POST,
  as: "key",
  body,
  status: 422,
  ...rest
})

const edit = (body: unknown, rest: Rest): Mistake => ({
  method: "PATCH",
  path: ofPost(),
  as: "key",
  body,
  status: 422,
  ...rest
})

const verify = (code: unknown) => ({
  method: "POST",
  path: `/api/v1/registrations/${UUID}/verify`,
  body: { code },
  status: 422
})

const draft = { title: "On pennies", freeContentMarkdown: "A penny." }

const mistakes: ReadonlyArray<Mistake> = [
  // Headers.
  {
    says: "A publication without an Idempotency-Key",
    method: "POST",
    path: ofPost("/publish"),
    as: "key",
    status: 422,
    answer: [/Idempotency-Key: Send this header: 1 to 255/]
  },
  {
    says: "A registration without an Idempotency-Key, and with a number for an address",
    method: "POST",
    path: "/api/v1/registrations",
    body: { email: 7 },
    status: 422,
    answer: [/Idempotency-Key: Send this header: a UUID/, /email: Send a string \(an e-mail address/]
  },
  {
    says: "A registration with a word as Idempotency-Key, and without an address",
    method: "POST",
    path: "/api/v1/registrations",
    headers: { "idempotency-key": "first" },
    body: {},
    status: 422,
    answer: [/Idempotency-Key: Send a UUID/, /email: Add this member: a string/]
  },
  {
    says: "A comment without its key and under another name",
    method: "POST",
    path: `/api/v1/posts/${UUID}/comments`,
    as: "accessToken",
    body: { text: "Good" },
    status: 422,
    answer: [/Idempotency-Key: Send this header/, /content: Add this member/, /text: Remove .*content/]
  },
  {
    says: "A comment without its key, and with a comma too many",
    method: "POST",
    path: `/api/v1/posts/${UUID}/comments`,
    as: "accessToken",
    body: '{"content": "Good",}',
    status: 422,
    answer: [/Idempotency-Key: Send this header/, /body: .*[Ll]ine 1, column 20.*no comma/]
  },
  {
    says: "A comment without its key, as a form",
    method: "POST",
    path: `/api/v1/posts/${UUID}/comments`,
    as: "accessToken",
    body: "content=Good",
    type: "application/x-www-form-urlencoded",
    status: 422,
    answer: [/Idempotency-Key: Send this header/, /Content-Type: Send application\/json/]
  },
  create(draft, {
    says: "An Idempotency-Key with a space",
    headers: { "idempotency-key": "my key" },
    answer: [/Idempotency-Key: Send 1 to 255 visible ASCII characters without spaces/]
  }),
  create(draft, {
    says: "A draft as a form",
    type: "application/x-www-form-urlencoded",
    status: 415,
    answer: [/application\/json/]
  }),
  create(draft, {
    says: "A draft without a credential",
    as: undefined,
    status: 401,
    answer: [/Publishing key/, /Authorization: Bearer/]
  }),
  create(draft, {
    says: "A draft with the access token of a session",
    as: "accessToken",
    status: 401,
    answer: [/Publishing key/]
  }),
  {
    says: "The keys of an owner, asked for with a Publishing key",
    path: "/api/v1/api-keys",
    as: "key",
    status: 401,
    answer: [/access token/]
  },
  {
    says: "An image without its key and revision",
    method: "POST",
    path: ofPost("/images?intent=og"),
    as: "key",
    type: "multipart/form-data; boundary=b",
    body: "--b--",
    status: 422,
    answer: [/Idempotency-Key: Send a key of your own/, /X-Post-Revision: Send the latest updatedAt/]
  },
  edit(
    { title: "New" },
    {
      says: "A revision that is not a moment",
      headers: { "x-post-revision": "7" },
      answer: [/X-Post-Revision/, /updatedAt/]
    }
  ),
  edit(
    { title: "New" },
    {
      says: "An old revision",
      headers: { "x-post-revision": "2020-01-01T00:00:00Z" },
      status: 409,
      answer: [/current revision is \d{4}-\d\d-\d\dT[\d:.]+Z/]
    }
  ),
  {
    says: "An old revision of the payout address",
    method: "PUT",
    path: "/api/v1/profile/payout-address",
    as: "accessToken",
    body: {
      payoutAddress: "nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3",
      revision: 7
    },
    status: 409,
    answer: [/current revision is 1/]
  },
  // Types.
  { says: "A code as a number", ...verify(643_803), answer: [/code: Send a string \(exactly six digits\)/] },
  { says: "A code of five digits", ...verify("64380"), answer: [/code: Send exactly six digits/] },
  { says: "A code in two halves", ...verify("643 803"), answer: [/code: Send exactly six digits/] },
  {
    says: "No code",
    ...verify(undefined),
    answer: [/code: Add this member: a string \(exactly six digits\)/]
  },
  create(
    { ...draft, title: ["On pennies"] },
    { says: "A list for a title", answer: [/title: Send a string/] }
  ),
  create(
    { ...draft, enablePaywall: "true" },
    { says: "A text for a switch", answer: [/Send true or false/] }
  ),
  create({ ...draft, enablePaywall: 1 }, { says: "A number for a switch", answer: [/Send true or false/] }),
  create({ ...draft, priceXno: 0.25 }, { says: "A number for a price", answer: [/priceXno: Send a string/] }),
  create({ ...draft, priceRaw: 1e24 }, { says: "A number for raw", answer: [/priceRaw: Send a string/] }),
  create(
    { ...draft, primaryCategoryId: "3" },
    { says: "A text for a category", answer: [/primaryCategoryId: Send a whole number/] }
  ),
  create(
    { ...draft, creationMethod: "AI" },
    { says: "A method of another name", answer: [/"human_written".*"primarily_ai_generated"/] }
  ),
  create(
    { ...draft, canonicalUrl: "press.example/a" },
    { says: "A URL without its scheme", answer: [/canonicalUrl: Send an absolute http or https URL/] }
  ),
  create([draft], { says: "A list of drafts", answer: [/body: Send an object/] }),
  {
    says: "A reaction of another name",
    method: "PUT",
    path: `/api/v1/posts/${UUID}/reactions`,
    as: "accessToken",
    body: { reaction: "like" },
    status: 422,
    answer: [/"thumbs_up", "heart", "fire", "clap", or null/]
  },
  {
    says: "A reaction in a member of another name",
    method: "PUT",
    path: `/api/v1/posts/${UUID}/reactions`,
    as: "accessToken",
    body: { type: "heart" },
    status: 422,
    answer: [/type: Remove this member: it is unknown here\. Known: reaction/]
  },
  {
    says: "A follow without its wish",
    method: "PUT",
    path: `/api/v1/follows/${UUID}`,
    as: "accessToken",
    body: {},
    status: 422,
    answer: [/following: Add this member: true or false/]
  },
  {
    says: "A bio that is too long",
    method: "PATCH",
    path: "/api/v1/profile",
    as: "key",
    body: { bio: "x".repeat(251) },
    status: 422,
    answer: [/bio: Send at most 250 characters/]
  },
  // Names.
  create(
    { ...draft, content: "A" },
    { says: "A member `content`", answer: [/Known: .*freeContentMarkdown/] }
  ),
  create({ ...draft, body: "A" }, { says: "A member `body`", answer: [/Known: .*freeContentMarkdown/] }),
  create({ ...draft, price_xno: "1" }, { says: "A name with underscores", answer: [/mean priceXno/] }),
  create({ ...draft, titel: "A" }, { says: "A slip in a name", answer: [/mean title/] }),
  create({ ...draft, published: true }, { says: "A wish to publish at once", answer: [/Known: title, /] }),
  {
    says: "A filter of another name",
    path: "/api/posts?category_id=3",
    status: 400,
    answer: [/category_id: Remove this parameter: it is unknown here\. Did you mean categoryId/]
  },
  {
    says: "A search by another name",
    path: "/api/posts?search=pennies",
    status: 400,
    answer: [/search: Remove this parameter: it is unknown here\. Known: .*\bq\b/]
  },
  {
    says: "A page beyond the last",
    path: "/api/posts?per_page=500",
    status: 422,
    answer: [/per_page: Send a value between 1 and 50/]
  },
  { says: "An order of another name", path: "/api/posts?sort=latest", status: 422, answer: [/"newest"/] },
  // Paths and methods.
  {
    says: "A path in the singular",
    path: "/api/v1/post",
    status: 404,
    answer: [/GET or POST \/api\/v1\/posts\?/]
  },
  {
    says: "A path without its prefix",
    method: "POST",
    path: "/posts",
    status: 404,
    answer: [/\/api\/v1\/posts\?/]
  },
  { says: "A path of another version", path: "/api/v2/posts", status: 404, answer: [/\/api\/v1\/posts\?/] },
  { says: "A path with a final slash", path: "/api/v1/posts/", status: 404, answer: [/\/api\/v1\/posts\?/] },
  { says: "A path in capitals", path: "/API/Categories", status: 404, answer: [/\/api\/categories\?/] },
  {
    says: "A publication at the public path",
    method: "POST",
    path: `/api/posts/${UUID}/publish`,
    status: 404,
    answer: [/POST \/api\/v1\/posts\/\{postId\}\/publish\?/]
  },
  {
    says: "A login at a short path",
    method: "POST",
    path: "/api/v1/login",
    status: 404,
    answer: [/POST \/api\/v1\/auth\/login\?/]
  },
  {
    says: "A path of nothing",
    path: "/wp-login.php",
    status: 404,
    answer: [/\/openapi\.json and \/llms\.txt/]
  },
  {
    says: "An edit by PUT",
    method: "PUT",
    path: ofPost(),
    as: "key",
    body: draft,
    status: 405,
    answer: [/send GET, PATCH, or DELETE/]
  },
  { says: "A post of all posts", method: "POST", path: "/api/posts", status: 405, answer: [/send GET/] },
  { says: "A slug for an id", path: "/api/posts/on-pennies", status: 404, answer: [/postId: Send a UUID/] },
  {
    says: "A slug for the id of an own post",
    path: "/api/v1/posts/on-pennies",
    as: "key",
    status: 422,
    answer: [/postId: Send a UUID/]
  },
  // JSON.
  create("{'title': 'A'}", {
    says: "Single quotes",
    status: 400,
    answer: [/Line 1, column 2: .*double quotes/]
  }),
  create('{"title": "A",}', { says: "A comma too many", status: 400, answer: [/Line 1, column 15/] }),
  create('{"title": "A"', { says: "A body cut short", status: 400, answer: [/column 14: the body ends/] }),
  create('{\n  "title": "A"\n  "slug": "a"\n}', {
    says: "A comma too few",
    status: 400,
    answer: [/Line 3, column 3: .*a comma or }/]
  }),
  create('{"enablePaywall": True}', { says: "A word of Python", status: 400, answer: [/column 19: .*true/] }),
  create('```json\n{"title": "A"}\n```', {
    says: "A fence of Markdown",
    status: 400,
    answer: [/Line 1, column 1:/]
  }),
  create('{"freeContentMarkdown": "one\ntwo"}', {
    says: "A line break in a string",
    status: 400,
    answer: [/Line 1, column 29: .*\\n/]
  }),
  create('{"title": "Caf\xe9"}', {
    says: "A body in Latin-1",
    type: "latin1",
    status: 400,
    answer: [/UTF-8/]
  })
]

const textOf = (body: any) => {
  const errors: ReadonlyArray<{ field: string; message: string }> = body.errors ?? body.data?.errors ?? []
  return [body.detail ?? body.message, ...errors.map((it) => `${it.field}: ${it.message}`)].join("\n")
}

layer(rawClient(database("test_operations_mistakes")))("natural mistakes", (it) => {
  let known: Author | undefined

  const author = Effect.gen(function* () {
    if (known !== undefined) return known
    const raw = yield* RawClient
    const { accessToken, key } = yield* publisher(1)
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const { body } = yield* raw.send("POST", POST, { headers, body: JSON.stringify(completePost) })
    known = { accessToken, key, post: body.id, revision: body.updatedAt }
    return known
  })

  for (const mistake of mistakes)
    it.effect(`${mistake.says} is answered with what to send`, () =>
      Effect.gen(function* () {
        const raw = yield* RawClient
        const me = yield* author
        const { answer, as, body, headers = {}, method = "GET", path, status, type } = mistake
        const text = typeof body === "string" ? body : JSON.stringify(body)
        const isLatin = type === "latin1"
        const { body: refusal, status: got } = yield* raw.send(
          method,
          typeof path === "string" ? path : path(me),
          {
            headers: {
              ...(as === undefined ? {} : { authorization: `Bearer ${me[as]}` }),
              ...(body === undefined
                ? {}
                : { "content-type": isLatin ? "application/json" : (type ?? "application/json") }),
              ...(typeof headers === "function" ? headers(me) : headers)
            },
            ...(text === undefined ? {} : { body: isLatin ? Buffer.from(text, "latin1") : text })
          }
        )
        const said = textOf(refusal)
        assert.strictEqual(got, status, said)
        for (const word of answer) assert.isTrue(word.test(said), `${said}\n${word}`)
      })
    )
})

layer(service(database("test_operations_mistakes_of_tools")))("natural mistakes of a model", (it) => {
  for (const [says, tool, args, word] of [
    ["An argument of another name", "svc_search", { q: "pennies" }, /q: .*Known: query/],
    ["An argument in camel case", "svc_preview", { postId: UUID }, /postId: .*mean post_id/],
    ["A slug for an id", "svc_preview", { post_id: "on-pennies" }, /post_id: Send a UUID/],
    ["A limit beyond the last", "svc_search", { limit: 100 }, /limit: Send a value between 1 and 20/],
    ["A limit in words", "svc_search", { limit: "ten" }, /limit: Send a whole number/],
    ["An order of another name", "svc_search", { sort: "latest" }, /sort: Send "newest"/]
  ] as const)
    it.effect(`${says} is answered with what the tool takes`, () =>
      Effect.gen(function* () {
        const { fields } = failureOf(yield* call(tool, args))
        const said = fields.map((it: any) => `${it.field}: ${it.message}`).join("\n")
        assert.match(said, word)
      })
    )
})
