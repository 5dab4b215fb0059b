import { Console, DateTime, Effect, Option, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import {
  type NanoAddress,
  NanoAddressInput,
  publicKeyOfAddress,
  rawOfXno,
  xnoOfRaw
} from "../../../schemas/platform/Nano.ts"
import { marked } from "../../mcp/local/failures/marked.ts"
import { Intents } from "../../mcp/local/intents/Intents.ts"
import { StateStore } from "../../mcp/local/ports/StateStore.ts"
import { makeBuyPost } from "../../mcp/local/purchases/buyPost.ts"
import { commandOf } from "../../mcp/local/service/commands.ts"
import { Setups } from "../../mcp/local/setup/Setups.ts"
import { readCredential } from "../../mcp/local/state/credentials.sql.ts"
import { readIntent } from "../../mcp/local/state/intents.sql.ts"
import { settlingPurchase } from "../../mcp/local/state/purchases.sql.ts"
import type { WalletBlock } from "../../mcp/local/state/walletBlocks.sql.ts"
import { type Amount, makeWallet } from "../../mcp/local/wallet/makeWallet.ts"
import { isUsableKey } from "../../platform/nano/signatures.ts"
import { textFlag } from "../arguments/checkedArguments.ts"
import { readInputFile } from "./inputFile.ts"
import { askHidden, confirmTyped, requireReader } from "./person.ts"
import { type Root, withinPlace } from "./program.ts"

/** The 32 bytes of a Nano seed, as 64 hexadecimal digits. */
const Seed = Schema.String.check(
  Schema.isPattern(/^[0-9a-fA-F]{64}$/, { expected: "a seed of 64 hexadecimal digits" })
)

/** The content of an input file of `wallet restore`. */
const SeedInput = Schema.Struct({ seed: Seed })

const invalid = (field: string, message: string) =>
  marked("validation", { fields: [{ field, code: "invalid", message }] })

/** Returns the amount of a flag: XNO with up to 30 decimals, or the whole balance. */
const amountOf = (text: string) => {
  if (text === "all") return Effect.succeed<Amount>("all")
  const raw = rawOfXno(text)
  return Option.isSome(raw) && raw.value > 0n
    ? Effect.succeed<Amount>(raw.value)
    : Effect.fail(
        invalid("amount", "Name XNO with at most 30 decimals, such as 0.25 and more than 0, or `all`")
      )
}

/** Follows up a purchase whose block may be with the service: the next block of the wallet follows it. */
const finishPurchase = Effect.gen(function* () {
  const store = yield* StateStore
  const intents = yield* Intents
  const buyPost = yield* makeBuyPost
  const intent = yield* store.read((tx) => {
    const open = settlingPurchase(tx)
    return Effect.succeed(open === undefined ? undefined : readIntent(tx, open.intentId))
  })
  if (intent === undefined) return
  yield* intents.resume(buyPost, intent).pipe(
    Effect.asVoid,
    Effect.catch((failure) =>
      Effect.flatMap(
        store.read((tx) => Effect.succeed(readIntent(tx, intent.id)?.phase)),
        (phase) => (phase === "complete" ? Effect.void : Effect.fail(failure))
      )
    )
  )
})

const saySent = ({ amountRaw, hash, recipient }: Pick<WalletBlock, "amountRaw" | "hash" | "recipient">) =>
  Console.log(`Sent ${xnoOfRaw(amountRaw)} XNO to ${recipient}: block ${hash}`)

const sendMoney = Effect.fnUntraced(function* (to: NanoAddress, amount: Amount) {
  const wallet = yield* makeWallet
  const { account } = yield* wallet.own
  if (to === account) return yield* invalid("to", "This is the address of the wallet itself")
  if (!isUsableKey(publicKeyOfAddress(to))) {
    return yield* invalid("to", "No wallet can have this address, so the money would be lost")
  }
  yield* finishPurchase
  const { plan, sent } = yield* wallet.plan(to, amount)
  if (sent !== undefined) {
    yield* Console.log("An earlier send, which was not finished, has arrived:")
    yield* saySent(sent)
  }
  if (plan === undefined) {
    return yield* Console.log("Nothing else was sent. Run the same command again to send once more.")
  }
  const { amountRaw, head, lastAt } = plan
  const lines = [
    "Send, for good:",
    `  amount    ${xnoOfRaw(amountRaw)} XNO (${amountRaw} raw)`,
    `  to        ${to}`,
    `  from      ${account}`,
    `  then has  ${xnoOfRaw(head.balanceRaw - amountRaw)} XNO`,
    ...(lastAt === undefined
      ? []
      : [`The same amount was sent to this address at ${DateTime.formatIso(DateTime.makeUnsafe(lastAt))}.`])
  ]
  yield* confirmTyped(lines, `${xnoOfRaw(amountRaw)}:${to.slice(-8)}`)
  const hash = yield* wallet.send(plan)
  yield* saySent({ amountRaw, hash, recipient: to })
})

const receiveMoney = Effect.gen(function* () {
  const wallet = yield* makeWallet
  yield* wallet.own
  yield* finishPurchase
  const { account, balanceRaw, receivedRaw, waiting } = yield* wallet.receive
  yield* Console.log(
    receivedRaw === 0n
      ? `Nothing waits for ${account}. It has ${xnoOfRaw(balanceRaw)} XNO.`
      : `Received ${xnoOfRaw(receivedRaw)} XNO. ${account} has ${xnoOfRaw(balanceRaw)} XNO.`
  )
  if (waiting > 0) yield* Console.log(`${waiting} more wait. Run the same command again.`)
})

const showSeed = Effect.gen(function* () {
  const store = yield* StateStore
  const { account } = yield* (yield* makeWallet).own
  yield* requireReader
  const lines = [
    `The seed of ${account} is shown next.`,
    "Anyone who has it can spend the money and act as the identity. Keep it on paper, and keep it from others."
  ]
  yield* confirmTyped(lines, "show-seed")
  const seed = yield* store.read((tx) => Effect.succeed(readCredential(tx, "wallet-seed")?.value))
  if (seed === undefined) return yield* marked("wallet-cannot-sign")
  // Straight to the terminal: the console of a program may be a log.
  yield* Effect.sync(() => process.stdout.write(`${Redacted.value(seed)}\n`))
  yield* Console.log("It is a Nano seed; the wallet is its account 0.")
})

const restoreSeed = Effect.fnUntraced(function* (file: Option.Option<string>) {
  const seed = Option.isSome(file)
    ? (yield* readInputFile(file.value, SeedInput)).seed
    : yield* askHidden("Seed of 64 hexadecimal digits (not shown)", Seed)
  const identity = yield* (yield* Setups).restore(Redacted.make(seed.toLowerCase()))
  yield* Console.log(
    `The wallet ${identity?.walletAddress} and its identity @${identity?.handle} are back. Run: ${yield* commandOf("status")}`
  )
})

/** Makes the commands by which a person handles the money of the wallet. No tool does any of it. */
export const wallet = <E, R>(root: Root<E, R>) => {
  const within = withinPlace(root)

  const receive = Command.make("receive", {}, () => within(receiveMoney)).pipe(
    Command.withDescription("Receive the money that was sent to the wallet")
  )

  const send = Command.make(
    "send",
    {
      to: textFlag("to", NanoAddressInput).pipe(
        Flag.withDescription("The nano_ address that gets the money")
      ),
      amount: Flag.String("amount").pipe(
        Flag.withDescription("XNO, such as 0.25, or `all`: the whole balance")
      )
    },
    ({ amount, to }) => within(Effect.flatMap(amountOf(amount), (raw) => sendMoney(to, raw)))
  ).pipe(Command.withDescription("Send money from the wallet"))

  const show = Command.make("show-seed", {}, () => within(showSeed)).pipe(
    Command.withDescription("Show the seed of the wallet, to keep on paper")
  )

  const restore = Command.make(
    "restore",
    {
      inputFile: Flag.String("input-file").pipe(
        Flag.withDescription('A JSON file {"seed": "…"} with mode 0600, instead of a prompt'),
        Flag.optional
      )
    },
    ({ inputFile }) => within(restoreSeed(inputFile))
  ).pipe(Command.withDescription("Bring back a wallet and its identity, by the seed, in an empty directory"))

  return Command.make("wallet").pipe(
    Command.withDescription("Receive, send and back up the money of the wallet, at a terminal"),
    Command.withSubcommands([receive, send, show, restore])
  )
}
