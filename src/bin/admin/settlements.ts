import { Argument, Command, Flag } from "effect/cli"
import { SettlementsLimit, UnresolvedState } from "../../../schemas/payments/settlement/rpc.ts"
import { SettlementId } from "../../../schemas/platform/Ids.ts"
import { textArgument, textFlag, wholeFlag } from "../arguments/checkedArguments.ts"
import { action, given } from "./action.ts"
import { calling, url } from "./connection.ts"
import { pageLines } from "./pageLines.ts"

const list = Command.make(
  "list",
  {
    url,
    state: Flag.Literals("state", UnresolvedState.literals).pipe(
      Flag.withDescription("Only settlements in this state; a lapsed one is older than seven days"),
      Flag.optional
    ),
    limit: wholeFlag("limit", SettlementsLimit).pipe(
      Flag.withDescription("Maximum number of lines, 1 to 100"),
      Flag.withDefault(50)
    ),
    cursor: textFlag("cursor", SettlementId).pipe(
      Flag.withDescription("The nextCursor in the last line of the previous page"),
      Flag.optional
    )
  },
  ({ cursor, limit, state, url }) =>
    calling(
      url,
      (client) =>
        client["payments.settlements.list"]({ limit, ...given("state", state), ...given("cursor", cursor) }),
      ({ nextCursor, settlements }) => pageLines(settlements, nextCursor)
    )
).pipe(
  Command.withDescription("List payments whose outcome is not known yet, oldest first, a line of JSON each")
)

const look = action(
  "look",
  "Look up a payment on the ledger now; only the ledger decides its outcome",
  textArgument("settlement-id", SettlementId).pipe(Argument.withDescription("The id of the settlement")),
  (client, settlementId, because) => client["payments.settlements.look"]({ settlementId, ...because }),
  ({ id, lastFailure, state }) => `${id} is ${state}${lastFailure === null ? "" : ` (${lastFailure})`}`
)

/** Commands for payments on their way. */
export const settlements = Command.make("settlements").pipe(
  Command.withDescription("Payments whose outcome is not known yet"),
  Command.withSubcommands([list, look])
)
