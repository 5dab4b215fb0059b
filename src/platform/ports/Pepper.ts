import { Context } from "effect"
import type { KeyedHash } from "./KeyedHash.ts"

/**
 * Hashes texts with too little entropy for SHA-256 alone, such as codes of six digits, so that a copy of the database
 * reveals nothing.
 */
export class Pepper extends Context.Service<Pepper, KeyedHash>()("pennypress/platform/ports/Pepper") {}
