import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { NanoLedgerMemory } from "../../../../layers/testing/NanoLedgerMemory.ts"
import { publicKeyOfAddress, RAW_PER_XNO } from "../../../../schemas/platform/Nano.ts"
import { StateStore } from "../../../../src/mcp/local/ports/StateStore.ts"
import { readCredential } from "../../../../src/mcp/local/state/credentials.sql.ts"
import { insertIntent } from "../../../../src/mcp/local/state/intents.sql.ts"
import { makeWallet } from "../../../../src/mcp/local/wallet/makeWallet.ts"
import { walletOf } from "../../../../src/mcp/local/wallet/wallet.ts"
import { authorOf } from "../../../support/actors/author.ts"
import { inTime } from "../../../support/actors/buyer.ts"
import { walletOf as strangerOf } from "../../../support/actors/owner.ts"
import { failure } from "../asIdentity.ts"
import { allowed, localBuyer, sumsOfGrant } from "../localBuyer.ts"
import { edition, serviceBehindWire, stateDirectory, toolsOf } from "../localEdition.ts"

const HALF = RAW_PER_XNO / 2n
const STRANGER = strangerOf(950).account

/** Runs a test in a process of its own, with an empty directory. */
const inProcess = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.flatMap(stateDirectory, (directory) =>
    Effect.flatMap(Layer.build(edition(directory)), (context) => Effect.provideContext(test, context))
  ).pipe(Effect.scoped)

const given = (account: Parameters<typeof publicKeyOfAddress>[0], amountRaw: bigint) =>
  NanoLedgerMemory.use(({ book }) => book.faucet(publicKeyOfAddress(account), amountRaw))

const balanceOf = (account: Parameters<typeof publicKeyOfAddress>[0]) =>
  NanoLedgerMemory.use(({ book }) =>
    Effect.map(book.chain(publicKeyOfAddress(account), 1), ([head]) => head?.block.balance ?? 0n)
  )

const waitingFor = (account: Parameters<typeof publicKeyOfAddress>[0]) =>
  NanoLedgerMemory.use(({ book }) =>
    Effect.map(book.receivable(publicKeyOfAddress(account), 100), (sends) =>
      sends.map(({ amountRaw }) => amountRaw)
    )
  )

layer(serviceBehindWire("test_mcp_local_wallet"))("the local wallet", (it) => {
  it.effect("A purchase receives the money that waits, and names the address that needs some", () =>
    inProcess(
      Effect.gen(function* () {
        const author = yield* authorOf(1)
        const post = yield* author.published({
          paidContentMarkdown: "Behind the price.",
          enablePaywall: true,
          priceXno: "0.5"
        })
        const buyer = yield* localBuyer(301, { balanceRaw: 0n })
        yield* allowed(buyer, { maxTotalRaw: RAW_PER_XNO })
        const { call } = yield* toolsOf
        const buy = inTime(call("svc_buy_post", { post_id: post.id, expected_price_raw: String(HALF) }))
        const context = Effect.map(call("svc_context"), ({ result }) => result.wallet)
        const { account } = buyer.wallet

        assert.deepInclude(yield* context, { address: account, status: "not-opened", balanceXno: "0" })
        const unopened = failure(yield* buy)
        assert.strictEqual(unopened.code, "wallet-not-opened")
        assert.include(unopened.nextStep, `0.5 XNO or more to ${account}`)
        assert.include(unopened.nextStep, "wallet receive`")

        yield* given(account, HALF / 5n)
        assert.deepInclude(yield* context, { status: "not-opened", receivableXno: "0.1" })
        const unfunded = failure(yield* buy)
        assert.include(unfunded.nextStep, `0.4 XNO or more to ${account}`)
        assert.deepStrictEqual(yield* sumsOfGrant(), { spentRaw: 0n, reservedRaw: 0n })
        // Nothing is received for a purchase that fails all the same.
        assert.lengthOf(yield* waitingFor(account), 1)

        yield* given(account, HALF)
        yield* given(account, HALF / 5n)
        const bought = (yield* buy).result
        assert.deepInclude(bought.purchase, { charged: true, amountXno: "0.5" })
        // The largest send was enough.
        assert.deepStrictEqual(yield* waitingFor(account), [HALF / 5n, HALF / 5n])
        assert.deepInclude(yield* context, { status: "opened", balanceXno: "0", receivableXno: "0.2" })
      })
    )
  )

  it.effect("A person receives what waits, and sends a part, the rest and not a raw more", () =>
    inProcess(
      Effect.gen(function* () {
        const { wallet: keys } = yield* localBuyer(302, { balanceRaw: RAW_PER_XNO })
        const wallet = yield* makeWallet
        for (const share of [1n, 2n, 3n]) yield* given(keys.account, share * HALF)
        const came = yield* wallet.receive
        assert.deepInclude(came, { receivedRaw: 6n * HALF, balanceRaw: 8n * HALF, waiting: 0 })
        assert.deepInclude(yield* wallet.receive, { receivedRaw: 0n, balanceRaw: 8n * HALF })

        const tooMuch = yield* Effect.flip(wallet.plan(STRANGER, 8n * HALF + 1n))
        assert.strictEqual(tooMuch.code, "wallet-unfunded")
        const before = yield* waitingFor(STRANGER)
        const part = yield* wallet.plan(STRANGER, 1n)
        assert.isUndefined(part.sent)
        yield* wallet.send(part.plan ?? assert.fail("no plan"))
        const rest = yield* wallet.plan(STRANGER, "all")
        assert.strictEqual(rest.plan?.amountRaw, 8n * HALF - 1n)
        yield* wallet.send(rest.plan ?? assert.fail("no plan"))
        assert.sameMembers(
          [...(yield* waitingFor(STRANGER))].map(String),
          [...before, 1n, 8n * HALF - 1n].map(String)
        )
        assert.strictEqual(yield* balanceOf(keys.account), 0n)
        assert.strictEqual((yield* Effect.flip(wallet.plan(STRANGER, "all"))).code, "wallet-unfunded")
        // Money that waits counts, too.
        yield* given(keys.account, HALF)
        assert.strictEqual((yield* wallet.plan(STRANGER, "all")).plan?.amountRaw, HALF)
      })
    )
  )

  it.effect("A send that a person confirmed twice, or on an old balance, moves money once", () =>
    inProcess(
      Effect.gen(function* () {
        const { wallet: keys } = yield* localBuyer(303, { balanceRaw: RAW_PER_XNO })
        const wallet = yield* makeWallet
        const { plan = assert.fail("no plan") } = yield* wallet.plan(STRANGER, HALF)
        const send = Effect.result(wallet.send(plan))
        const answers = yield* Effect.all([send, send], { concurrency: 2 })
        assert.sameMembers(
          answers.map(({ _tag }) => _tag),
          ["Success", "Failure"]
        )
        assert.strictEqual(yield* balanceOf(keys.account), HALF)
        assert.strictEqual((yield* Effect.flip(wallet.send(plan))).code, "wallet-block-pending")
        assert.strictEqual(yield* balanceOf(keys.account), HALF)
      })
    )
  )

  it.effect("The block of another program with the same seed refuses a send, and the next one goes on", () =>
    inProcess(
      Effect.gen(function* () {
        const { wallet: keys } = yield* localBuyer(304, { balanceRaw: RAW_PER_XNO })
        const elsewhere = yield* stateDirectory
        const wallet = yield* makeWallet
        const { plan = assert.fail("no plan") } = yield* wallet.plan(STRANGER, HALF)
        yield* Effect.gen(function* () {
          const store = yield* StateStore
          const seed = Redacted.make((304).toString(16).padStart(64, "0"))
          yield* store.write((tx) =>
            Effect.sync(() =>
              tx.run(
                `insert into credentials (name, value, saved_at) values ('wallet-seed', ?, 0)`,
                Redacted.value(seed)
              )
            )
          )
          const other = yield* makeWallet
          const first = yield* other.plan(STRANGER, 1n)
          yield* other.send(first.plan ?? assert.fail("no plan"))
        }).pipe(Effect.provide(edition(elsewhere)))
        const refused = yield* Effect.flip(wallet.send(plan))
        assert.deepInclude(refused, { code: "wallet-block-refused", retryable: true })
        assert.strictEqual(yield* balanceOf(keys.account), RAW_PER_XNO - 1n)
        const again = yield* wallet.plan(STRANGER, HALF)
        yield* wallet.send(again.plan ?? assert.fail("no plan"))
        assert.strictEqual(yield* balanceOf(keys.account), HALF - 1n)
      })
    )
  )

  it.effect("No tool has a way to send money, to receive it or to see the seed", () =>
    inProcess(
      Effect.gen(function* () {
        yield* localBuyer(305, { balanceRaw: RAW_PER_XNO })
        const { call, client } = yield* toolsOf
        const { tools } = yield* client.listTools()
        assert.notMatch(JSON.stringify(tools.map(({ name }) => name)), /wallet|send|seed|receive|restore/)
        const store = yield* StateStore
        const seed = yield* store.read((tx) => Effect.succeed(readCredential(tx, "wallet-seed")?.value))
        const { text } = yield* call("svc_context")
        assert.notInclude(text, Redacted.value(seed ?? assert.fail("no seed")))
        // An intent of a name that is no tool is not resumed.
        const id = crypto.randomUUID()
        const { ownerId } = yield* store.read((tx) =>
          Effect.succeed({ ownerId: String(tx.first(`select owner_id from identity`)?.["owner_id"]) })
        )
        yield* store.write((tx) =>
          Effect.sync(() =>
            insertIntent(
              tx,
              {
                id,
                tool: "wallet_send",
                ownerId,
                keyId: null,
                digest: "d",
                arguments: JSON.stringify({ to: STRANGER, amount: "1" }),
                request: null,
                idempotencyKey: "k"
              },
              "nobody"
            )
          )
        )
        const { result } = yield* call("svc_operation", { operation_id: id, action: "resume" })
        assert.deepInclude(result.operations[0], { phase: "authorized", resumable: false })
      })
    )
  )

  it.effect("A wallet is the account of its seed wherever it is restored", () =>
    Effect.sync(() => {
      const { account } = walletOf(
        Redacted.make("e11a48d701ea1f8a66a4eb587cdc8808d726fe75b325df204f62ca2b43f9ada1")
      )
      assert.strictEqual(account, "nano_1p95xji1g5gou8auj8h6qcuezpdpcyoqmawao6mpwj4p44939oouoturkggc")
    })
  )
})
