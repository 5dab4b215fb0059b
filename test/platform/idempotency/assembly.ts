import { Layer } from "effect"
import * as DigestNode from "../../../layers/crypto/DigestNode.ts"
import { Idempotency } from "../../../src/platform/idempotency/Idempotency.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"
import { database } from "../../support/Database.ts"

/** Ids of resources or of their holders. */
export const [ONE, TWO] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"]

/** Builds the service over a fresh database of this name. */
export const assemblyOver = (name: string) =>
  Idempotency.layer.pipe(
    Layer.provide(DigestNode.layer),
    Layer.provideMerge(Transactions.layer),
    Layer.provideMerge(database(name))
  )
