import { Argument, Command, Flag } from "effect/cli"
import { ActionReason } from "../../../schemas/accounts/administration/rpc.ts"
import { ObligationId } from "../../../schemas/platform/Ids.ts"
import { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { textArgument, textFlag } from "../arguments/checkedArguments.ts"
import { actor, given, json } from "./action.ts"
import { calling, url } from "./connection.ts"

const list = Command.make(
  "list",
  {
    url,
    state: Flag.Literals("state", ["owed", "blocked"]).pipe(
      Flag.withDescription("Obligations of this state; a blocked one waits for its owner"),
      Flag.withDefault("owed" as const)
    )
  },
  ({ state, url }) =>
    calling(
      url,
      (client) => client["payments.obligations.list"]({ state }),
      ({ data }) => data.map((obligation) => JSON.stringify(obligation))
    )
).pipe(Command.withDescription("List unpaid obligations, oldest first, a line of JSON each"))

const pay = Command.make(
  "pay",
  {
    url,
    actor,
    json,
    obligationId: textArgument("obligation-id", ObligationId).pipe(
      Argument.withDescription("The id of the obligation")
    ),
    block: textFlag("block", BlockHash).pipe(
      Flag.withDescription("The hash of the block that you sent to the bound address")
    ),
    reason: textFlag("reason", ActionReason).pipe(
      Flag.withDescription("The reason, which the audit log keeps"),
      Flag.withDefault("paid")
    )
  },
  (it) =>
    calling(
      it.url,
      (client) =>
        client["payments.obligations.pay"]({
          obligationId: it.obligationId,
          block: it.block,
          reason: it.reason,
          ...given("actor", it.actor)
        }),
      (paid) => [it.json ? JSON.stringify(paid) : `${paid.id} is paid by ${paid.transaction}`]
    )
).pipe(Command.withDescription("Record the block that paid an obligation"))

/** Commands for obligations of the platform to authors. */
export const obligations = Command.make("obligations").pipe(
  Command.withDescription("Money that the platform owes to authors"),
  Command.withSubcommands([list, pay])
)
