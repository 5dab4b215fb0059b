import { Console, DateTime, Effect, Option, Redacted, Result, Schema } from "effect"
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
import { Origin } from "../../mcp/local/service/Origin.ts"
import type { UnknownWallet } from "../../mcp/local/setup/restoredWallet.ts"
import { Setups } from "../../mcp/local/setup/Setups.ts"
import { readCredential } from "../../mcp/local/state/credentials.sql.ts"
import { readIntent } from "../../mcp/local/state/intents.sql.ts"
import { settlingPurchase } from "../../mcp/local/state/purchases.sql.ts"
import type { WalletBlock } from "../../mcp/local/state/walletBlocks.sql.ts"
import { type Amount, makeWallet } from "../../mcp/local/wallet/makeWallet.ts"
import { walletOf } from "../../mcp/local/wallet/wallet.ts"
import { isUsableKey } from "../../platform/nano/signatures.ts"
import { amountSentence, readAmount } from "../../platform/nano/writtenAmount.ts"
import { textFlag } from "../arguments/checkedArguments.ts"
import { readInputFile } from "./inputFile.ts"
import { NANO_RPC, nanoRpcFlag, saveNanoProvider } from "./nanoProvider.ts"
import { askHidden, confirmTyped, requireReader } from "./person.ts"
import { type Root, withinPlace } from "./program.ts"

/** The 32 bytes of a Nano seed, as 64 hexadecimal digits. */
const Seed = Schema.String.check(
  Schema.isPattern(/^[0-9a-fA-F]{64}$/, { expected: "a seed of 64 hexadecimal digits" })
)

/** The content of an input file of `wallet restore`. */
const SeedInput = Schema.Struct({ seed: Seed })

/** Number of characters at the end of an address by which a person knows it. */
const ADDRESS_END = 8

const AddressEnd = Schema.String.check(
  Schema.isPattern(/^[13-9a-km-uw-z]{4,60}$/, { expected: "the last 4 to 60 characters of a nano_ address" })
)

const invalid = (field: string, message: string) =>
  marked("validation", { fields: [{ field, code: "invalid", message }] })

/** Returns the amount of a flag: XNO with up to 30 decimals as people write it, or the whole balance. */
const amountOf = (text: string) => {
  if (text === "all") return Effect.succeed<Amount>("all")
  const written = readAmount(text)
  if (Result.isFailure(written) && written.failure.reason === "ambiguous")
    return Effect.fail(invalid("amount", amountSentence("the amount", text, written.failure)))
  const raw = Option.flatMap(Result.getSuccess(written), rawOfXno)
  return Option.isSome(raw) && raw.value > 0n
    ? Effect.succeed<Amount>(raw.value)
    : Effect.fail(
        invalid("amount", "Use an amount of XNO above 0 with at most 30 decimals, such as 0.25, or `all`")
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
    "Anyone who has it can spend the money and act as the identity. Keep it on paper, and show it to no one."
  ]
  yield* confirmTyped(lines, "show-seed")
  const seed = yield* store.read((tx) => Effect.succeed(readCredential(tx, "wallet-seed")?.value))
  if (seed === undefined) return yield* marked("wallet-cannot-sign")
  // Straight to the terminal: the console of a program may be a log.
  yield* Effect.sync(() => process.stdout.write(`${Redacted.value(seed)}\n`))
  yield* Console.log("It is a Nano seed; the wallet is its account 0.")
})

/** Asks a person about a wallet that neither the service nor the ledger knows. */
const confirmWallet =
  (origin: string) =>
  ({ account, isAbsent }: UnknownWallet) =>
    confirmTyped(
      [
        `This seed is that of ${account}.`,
        `${origin} has no identity of this wallet yet${isAbsent ? ", and the Nano ledger does not have it" : ""}.`,
        ...(isAbsent ? [] : [`No Nano node was asked about its money: name one with --${NANO_RPC}.`]),
        "A seed with one wrong digit is the seed of another, empty wallet. Compare the address with the one that you know."
      ],
      account.slice(-ADDRESS_END)
    )

interface RestoreFlags {
  readonly inputFile: Option.Option<string>
  readonly addressEnds: Option.Option<string>
  readonly nanoRpc: Option.Option<string>
}

const restoreSeed = Effect.fnUntraced(function* ({ addressEnds, inputFile, nanoRpc }: RestoreFlags) {
  if (Option.isSome(nanoRpc)) yield* saveNanoProvider(NANO_RPC, nanoRpc.value)
  const typed = Option.isSome(inputFile)
    ? (yield* readInputFile(inputFile.value, SeedInput)).seed
    : yield* askHidden("Seed of 64 hexadecimal digits (not shown)", Seed)
  const seed = Redacted.make(typed.toLowerCase())
  const { account } = walletOf(seed)
  if (Option.isSome(addressEnds) && !account.endsWith(addressEnds.value))
    return yield* invalid("address-ends", `This seed is that of another wallet, ${account}: check its digits`)
  const confirm = Option.isSome(addressEnds) ? () => Effect.void : confirmWallet(yield* Origin)
  const identity = yield* (yield* Setups).restore(seed, confirm)
  yield* Console.log(
    `The wallet ${identity?.walletAddress} is here, with its identity @${identity?.handle}. Run: ${yield* commandOf("status")}`
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
      ),
      addressEnds: textFlag("address-ends", AddressEnd).pipe(
        Flag.withDescription(
          "The last characters of the wallet's address, which a seed with a wrong digit does not have"
        ),
        Flag.optional
      ),
      nanoRpc: nanoRpcFlag(NANO_RPC)
    },
    (flags) => within(restoreSeed(flags))
  ).pipe(Command.withDescription("Bring back a wallet and its identity, by the seed, in an empty directory"))

  return Command.make("wallet").pipe(
    Command.withDescription("Receive, send and back up the money of the wallet, at a terminal"),
    Command.withSubcommands([receive, send, show, restore])
  )
}
