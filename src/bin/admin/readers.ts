import { Argument, Command } from "effect/cli"
import { SubscriberImportId } from "../../../schemas/platform/Ids.ts"
import { textArgument } from "../arguments/checkedArguments.ts"
import { action, given } from "./action.ts"
import { calling, url } from "./connection.ts"
import { page, pageLines } from "./pageLines.ts"

const importId = textArgument("import-id", SubscriberImportId).pipe(
  Argument.withDescription("The id of the import, which `admin readers list` shows")
)

const list = Command.make("list", { url, ...page }, ({ cursor, limit, url }) =>
  calling(
    url,
    (client) => client["readers.list"]({ limit, ...given("cursor", cursor) }),
    ({ imports, nextCursor }) => pageLines(imports, nextCursor)
  )
).pipe(
  Command.withDescription("List imports whose readers wait to be asked, oldest first, a line of JSON each")
)

const approve = action(
  "approve",
  "Make all readers of an import get the posts, without a mail to confirm",
  importId,
  (client, importId, because) => client["readers.approve"]({ importId, ...because }),
  ({ importId, readers }) => `${importId} is approved; readers: ${readers}`
)

const refuse = action(
  "refuse",
  "Remove the readers of an import who have not confirmed",
  importId,
  (client, importId, because) => client["readers.refuse"]({ importId, ...because }),
  ({ importId, readers }) => `${importId} is refused; readers removed: ${readers}`
)

/** Commands for lists of readers that authors bring. */
export const readers = Command.make("readers").pipe(
  Command.withDescription("Lists of readers that authors bring from elsewhere"),
  Command.withSubcommands([list, approve, refuse])
)
