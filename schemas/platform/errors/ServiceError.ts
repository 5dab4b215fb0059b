import { Schema } from "effect"
import { FieldError } from "./FieldError.ts"
import { summaryOf } from "./summary.ts"

/** Members of every error. */
export const commonMembers = {
  /** A sentence about this occurrence. Without it, an answer has the general sentence of its family. */
  detail: Schema.optionalKey(Schema.String),
  /** The offending members of the request. */
  errors: Schema.optionalKey(Schema.Array(FieldError))
}

type Common = typeof commonMembers

/** An error, seen by its common members. */
export interface Described {
  readonly detail?: string
  readonly errors?: ReadonlyArray<FieldError>
}

/** Returns the sentence of an error: its `detail`, or else a summary of its `errors`. Undefined without both. */
export const sentenceOf = ({ detail, errors }: Described): string | undefined =>
  detail ?? (errors === undefined || errors.length === 0 ? undefined : summaryOf(errors))

/**
 * Declares one thing that can go wrong: a yieldable class for services, for other programs and for clients, which
 * `Effect.catchTag` selects by its name. It has neither a status nor a form on the wire. An endpoint gives it both,
 * with `inProblems` or `inJson`; a procedure sends it as it is.
 *
 * ```ts
 * class KeyAlreadyIssued extends ServiceError<KeyAlreadyIssued>()("KeyAlreadyIssued", { apiKey: ApiKey }) {}
 *
 * new KeyAlreadyIssued({ apiKey, detail: "The key of this registration exists" })
 * ```
 */
export const ServiceError =
  <Self = never>() =>
  <const Tag extends string, const Members extends Schema.Struct.Fields = {}>(
    tag: Tag,
    members?: Members
  ) => {
    const Base = Schema.TaggedError<Self>()(tag, {
      ...commonMembers,
      ...members
    } as unknown as Omit<Common, keyof Members> & Members)
    // For logs and for programs that print errors.
    Object.defineProperty((Base as { readonly prototype: object }).prototype, "message", {
      get(this: Described) {
        return sentenceOf(this) ?? tag
      }
    })
    return Base
  }

/** Class that `ServiceError` declares. */
export type ServiceErrorClass = Schema.Top & {
  readonly identifier: string
  readonly fields: Schema.Struct.Fields
}

/** Returns the members that a class declares in addition to the common ones. A class may require `errors`. */
export const ownMembers = ({ fields }: ServiceErrorClass): Schema.Struct.Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([name, schema]) => name !== "_tag" && schema !== commonMembers[name as keyof Common]
    )
  )

/** Returns the named members that an error has. */
export const pick = (error: object, names: ReadonlyArray<string>): object => {
  const isNamed = new Set(names)
  return Object.fromEntries(Object.entries(error).filter(([name]) => isNamed.has(name)))
}

/** Makes an error from the members that a family has decoded. */
export const decoded = (Class: ServiceErrorClass, members: object): Described =>
  new (Class as unknown as new (members: object) => Described)(members)

/**
 * Returns a function that makes the form of a class under a name once, so that every endpoint lists the same schema: the
 * OpenAPI document then has one component for it.
 */
export const formsOnce = <Name extends string, Encoded>(
  make: (Class: ServiceErrorClass, name: Name) => Schema.Codec<Described, Encoded>
) => {
  const known = new Map<ServiceErrorClass, Map<Name, Schema.Codec<Described, Encoded>>>()
  return <C extends ServiceErrorClass>(Class: C, name: Name): Schema.Codec<C["Type"], Encoded> => {
    const forms = known.get(Class) ?? new Map<Name, Schema.Codec<Described, Encoded>>()
    const form = forms.get(name) ?? make(Class, name)
    known.set(Class, forms.set(name, form))
    return form as unknown as Schema.Codec<C["Type"], Encoded>
  }
}
