import { join } from "node:path"
import { Console, Effect, Option, type Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { TypedEmailCode } from "../../../schemas/accounts/email-codes/TypedEmailCode.ts"
import { ProfileName, WrittenHandle } from "../../../schemas/accounts/profile/Profile.ts"
import { type NanoAddress, NanoAddressInput } from "../../../schemas/platform/Nano.ts"
import { marked } from "../../mcp/local/failures/marked.ts"
import { StateStore } from "../../mcp/local/ports/StateStore.ts"
import { commandOf, shellWord } from "../../mcp/local/service/commands.ts"
import { ClaimInput } from "../../mcp/local/setup/externalWallet.ts"
import { CodeInput, EmailInput } from "../../mcp/local/setup/mailbox.ts"
import { Setups } from "../../mcp/local/setup/Setups.ts"
import { makeWallet } from "../../mcp/local/wallet/makeWallet.ts"
import { textFlag } from "../arguments/checkedArguments.ts"
import { readInputFile } from "./inputFile.ts"
import { NANO_RPC, nanoRpcFlag, saveNanoProvider } from "./nanoProvider.ts"
import { askHidden, askShown } from "./person.ts"
import { type Root, withinPlace } from "./program.ts"

const inputFile = Flag.String("input-file").pipe(
  Flag.withDescription("A JSON file with mode 0600, instead of a prompt")
)

/** Returns the values of a file, or asks a person to type one. */
const fileOr = <A, B extends A[keyof A]>(
  file: Option.Option<string>,
  schema: Schema.Codec<A, unknown>,
  prompt: string,
  member: { readonly name: keyof A; readonly schema: Schema.Codec<B, string> }
) =>
  Option.match(file, {
    onSome: (path) => readInputFile(path, schema),
    onNone: () =>
      Effect.map(askHidden(prompt, member.schema), (value) => ({ [member.name]: value }) as unknown as A)
  })

const askEmail = (file: Option.Option<string>) =>
  fileOr(file, EmailInput, "E-mail address (not shown)", {
    name: "email",
    schema: EmailInput.fields.email
  })

/** The flag with the address that sales pay. */
const payoutAddress = textFlag("payout-address", NanoAddressInput).pipe(
  Flag.withDescription("The nano_ address that sales pay; not the wallet of the identity"),
  Flag.optional
)

/** Lets sales pay the address of the flag, if there is one. */
const payTo = (address: Option.Option<NanoAddress>) =>
  Option.match(address, {
    onNone: () => Effect.void,
    onSome: (account) => Effect.flatMap(Setups, (setups) => setups.payTo(account))
  })

const toSign = Effect.fnUntraced(function* ({
  challengeId,
  message
}: {
  readonly challengeId: string
  readonly message: string
}) {
  const { directory } = yield* StateStore
  const file = join(directory, "claim.json")
  yield* Console.log(
    [
      "Sign this message with the wallet (it moves no money):",
      "",
      message,
      "",
      `Then write the file ${file} with mode 0600:`,
      JSON.stringify({ challengeId, signature: "<128 hexadecimal digits>" }),
      `and run: ${yield* commandOf(`setup claim --input-file ${shellWord(file)}`)}`
    ].join("\n")
  )
})

const nowVerify = Effect.flatMap(commandOf("setup email-verify"), (command) =>
  Console.log(`A code is on its way. Run: ${command}`)
)

const sayComplete = Effect.flatMap(commandOf("status"), (command) =>
  Console.log(`The identity is complete. Run: ${command}`)
)

/** Says where the wallet is, and that its money is lost with this directory unless a person keeps the seed. */
const sayWallet = Effect.fnUntraced(function* (payout: Option.Option<NanoAddress>) {
  const { directory } = yield* StateStore
  const wallet = yield* makeWallet
  const { account } = yield* wallet.own
  yield* Console.log(
    [
      `Its wallet is ${account}. Purchases are paid from it, and sales pay ${Option.getOrElse(payout, () => "it")}.`,
      `The only copy of its seed is in ${directory}. If you lose this directory, the money of the wallet is lost.`,
      `Write the seed down now: ${yield* commandOf("wallet show-seed")}`
    ].join("\n")
  )
})

const required = (field: string, message: string) =>
  marked("validation", { fields: [{ field, code: "required", message }] })

/** Returns the name and the handle of the flags, of an unfinished setup, or else of a person who is asked. */
const namesOf = Effect.fnUntraced(function* (flags: {
  readonly name: Option.Option<string>
  readonly handle: Option.Option<string>
}) {
  const saved = yield* (yield* Setups).savedNames
  const oneOf = (field: "handle" | "name", question: string) =>
    Option.match(
      Option.orElse(flags[field], () => Option.fromUndefinedOr(saved?.[field])),
      {
        onSome: (text) => Effect.succeed(text),
        onNone: () =>
          Effect.catchIf(
            askShown(question),
            (error) => "code" in error && error.code === "terminal-required",
            () => Effect.fail(required(field, `Name it with --${field}`))
          )
      }
    )
  return {
    name: yield* oneOf("name", "The name that readers see"),
    handle: yield* oneOf("handle", "The handle, 4 to 30 letters, digits or underscores")
  }
})

/** Makes the commands by which a person gives the state directory its identity. */
export const setup = <E, R>(root: Root<E, R>) => {
  const within = withinPlace(root)

  const local = (intent: "agent" | "human") =>
    Command.make(
      `new-${intent}`,
      {
        name: textFlag("name", ProfileName).pipe(
          Flag.withDescription("The name that readers see"),
          Flag.optional
        ),
        handle: textFlag("handle", WrittenHandle).pipe(
          Flag.withDescription("4 to 30 letters, digits or underscores"),
          Flag.optional
        ),
        payoutAddress,
        nanoRpc: nanoRpcFlag(NANO_RPC)
      },
      ({ nanoRpc, payoutAddress: payout, ...flags }) =>
        within(
          Effect.gen(function* () {
            if (nanoRpc._tag === "Some") yield* saveNanoProvider(NANO_RPC, nanoRpc.value)
            const names = yield* namesOf(flags)
            const chosen = Option.isSome(payout) ? { payoutAddress: payout.value } : {}
            yield* (yield* Setups).newIdentity({ intent, ...names, ...chosen })
            yield* Console.log(
              `The identity @${names.handle} is complete. Run: ${yield* commandOf("status")}`
            )
            yield* sayWallet(payout)
          })
        )
    ).pipe(
      Command.withDescription(
        intent === "agent"
          ? "Create a wallet and an account, and declare it as an agent's; this authorises one declaration"
          : "Create a wallet and an account of a human"
      )
    )

  const external = Command.make(
    "external-nano",
    {
      account: textFlag("wallet-address", NanoAddressInput).pipe(
        Flag.withDescription("The nano_ address of the wallet")
      )
    },
    ({ account }) =>
      within(Effect.flatMap(Setups, (setups) => Effect.flatMap(setups.externalWallet(account), toSign)))
  ).pipe(Command.withDescription("Begin with an external wallet, which signs a message"))

  const claim = Command.make("claim", { inputFile, payoutAddress }, ({ inputFile, payoutAddress }) =>
    within(
      Effect.gen(function* () {
        const input = yield* readInputFile(inputFile, ClaimInput)
        yield* (yield* Setups).claim(input)
        yield* payTo(payoutAddress)
        yield* sayComplete
      })
    )
  ).pipe(Command.withDescription("Submit the signature of the message"))

  const email = Command.make(
    "email",
    {
      inputFile: inputFile.pipe(Flag.optional),
      isNew: Flag.Boolean("new").pipe(
        Flag.withDescription("Create a new account for the address"),
        Flag.withDefault(false)
      )
    },
    ({ inputFile, isNew }) =>
      within(
        Effect.gen(function* () {
          const input = yield* askEmail(inputFile)
          yield* (yield* Setups).email(input.email, isNew)
          yield* nowVerify
        })
      )
  ).pipe(Command.withDescription("Begin with a code by e-mail"))

  const emailVerify = Command.make(
    "email-verify",
    { inputFile: inputFile.pipe(Flag.optional), payoutAddress },
    ({ inputFile, payoutAddress }) =>
      within(
        Effect.gen(function* () {
          const input = yield* fileOr(inputFile, CodeInput, "Six digits from the mail (not shown)", {
            name: "code",
            schema: TypedEmailCode
          })
          yield* (yield* Setups).verifyEmail(input)
          yield* payTo(payoutAddress)
          yield* sayComplete
        })
      )
  ).pipe(Command.withDescription("Submit the code from the mail"))

  const reconnect = Command.make("reconnect", { inputFile: inputFile.pipe(Flag.optional) }, ({ inputFile }) =>
    within(
      Effect.gen(function* () {
        const setups = yield* Setups
        const step = yield* setups.reconnect
        if (step.next === "claim") return yield* toSign(step.challenge)
        if (step.next === "done") return yield* Console.log("The session and the key are valid again.")
        const input = yield* askEmail(inputFile)
        yield* setups.reconnectEmail(input.email)
        yield* nowVerify
      })
    )
  ).pipe(Command.withDescription("Give the selected identity a new session, and a new key if it needs one"))

  return Command.make("setup").pipe(
    Command.withDescription("Select or reconnect the identity of a state directory"),
    Command.withSubcommands([local("agent"), local("human"), external, claim, email, emailVerify, reconnect])
  )
}
