import { Console, Effect, Option, type Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { ProfileName, WrittenHandle } from "../../../schemas/accounts/profile/Profile.ts"
import { NanoAddressInput } from "../../../schemas/platform/Nano.ts"
import { ClaimInput } from "../../mcp/local/setup/externalWallet.ts"
import { CodeInput, EmailInput } from "../../mcp/local/setup/mailbox.ts"
import { Setups } from "../../mcp/local/setup/Setups.ts"
import { textFlag } from "../arguments/checkedArguments.ts"
import { readInputFile } from "./inputFile.ts"
import { nanoRpcFlag, saveNanoProvider } from "./nanoProvider.ts"
import { askHidden } from "./person.ts"
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

const NANO_RPC = "nano-rpc"

const toSign = ({ challengeId, message }: { readonly challengeId: string; readonly message: string }) =>
  Console.log(
    [
      "Sign this message with the wallet (it moves no money):",
      "",
      message,
      "",
      "Then write a file with mode 0600:",
      JSON.stringify({ challengeId, signature: "<128 hexadecimal digits>" }),
      "and run: svc-mcp setup claim --input-file <file>"
    ].join("\n")
  )

const nowVerify = Console.log("A code is on its way. Run: svc-mcp setup email-verify")

/** Makes the commands by which a person gives the state directory its identity. */
export const setup = <E, R>(root: Root<E, R>) => {
  const within = withinPlace(root)

  const local = (intent: "agent" | "human") =>
    Command.make(
      `new-${intent}`,
      {
        name: textFlag("name", ProfileName).pipe(Flag.withDescription("The name that readers see")),
        handle: textFlag("handle", WrittenHandle).pipe(
          Flag.withDescription("4 to 30 letters, digits or underscores")
        ),
        nanoRpc: nanoRpcFlag(NANO_RPC)
      },
      ({ handle, name, nanoRpc }) =>
        within(
          Effect.gen(function* () {
            if (nanoRpc._tag === "Some") yield* saveNanoProvider(NANO_RPC, nanoRpc.value)
            yield* (yield* Setups).newIdentity({ intent, name, handle })
            yield* Console.log(`The identity @${handle} is complete. Run: svc-mcp status`)
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

  const claim = Command.make("claim", { inputFile }, ({ inputFile }) =>
    within(
      Effect.gen(function* () {
        const input = yield* readInputFile(inputFile, ClaimInput)
        yield* (yield* Setups).claim(input)
        yield* Console.log("The identity is complete. Run: svc-mcp status")
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
    { inputFile: inputFile.pipe(Flag.optional) },
    ({ inputFile }) =>
      within(
        Effect.gen(function* () {
          const input = yield* fileOr(inputFile, CodeInput, "Six digits from the mail (not shown)", {
            name: "code",
            schema: CodeInput.fields.code
          })
          yield* (yield* Setups).verifyEmail(input)
          yield* Console.log("The identity is complete. Run: svc-mcp status")
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
