import { Context } from "effect"
import type { KeyedHash } from "./KeyedHash.ts"

/** Signs the terms of a quote, so that the service recognizes its own quotes without storing them. */
export class QuoteMac extends Context.Service<QuoteMac, KeyedHash>()("pennypress/platform/ports/QuoteMac") {}
