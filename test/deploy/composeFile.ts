import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { Ajv } from "ajv"
import { parse } from "yaml"

/** A service of a file for Compose. */
export interface Service {
  readonly build?: string | { readonly dockerfile_inline: string }
  readonly image?: string
  readonly env_file?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly extends?: { readonly file: string; readonly service: string }
  readonly volumes?: ReadonlyArray<string>
  readonly networks: ReadonlyArray<string>
  readonly ports?: ReadonlyArray<string>
  readonly healthcheck?: unknown
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}

/** Reads a file for Compose, with every anchor in place. */
export const composeOf = (source: string): ComposeFile => parse(source, { merge: true })

const schemaHome = dirname(createRequire(import.meta.url).resolve("dclint/package.json"))

/** The official schema, as this package ships it. */
const { $schema: _, ...schema } = JSON.parse(
  readFileSync(join(schemaHome, "schemas/compose.schema.json"), "utf8")
)
const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema)

/** Returns what the schema of Compose finds wrong with a file. */
export const schemaErrors = (source: string) => (validate(composeOf(source)) ? [] : (validate.errors ?? []))

/** Names that a file takes from `.env`, each with the rest of its expression. */
export const takenBy = (source: string) =>
  [...source.matchAll(/\$\{(\w+)([^}]*)\}/g)].map(([, name = "", rest = ""]) => ({ name, rest }))
