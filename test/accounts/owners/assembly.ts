import { Layer } from "effect"
import * as SecureRandomSeeded from "../../../layers/testing/SecureRandomSeeded.ts"
import * as Owners from "../../../src/accounts/owners/layer.ts"
import { Secrets } from "../../../src/platform/secrets/Secrets.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"

/** The services of `owners`, which need only a database. */
export const owners = Owners.layer.pipe(
  Layer.provide([Secrets.layer, Transactions.layer]),
  Layer.provide(SecureRandomSeeded.layer(1))
)
