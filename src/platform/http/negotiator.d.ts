/** The part of the package that the service uses. Its published types lack `preferred`. */
declare module "negotiator" {
  /** Reads the Accept headers of a request. */
  export default class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string>> })
    /** Returns the types of the header that are not refused, the heaviest first and equal ones in their order. */
    mediaTypes(): ReadonlyArray<string>
    /** Returns the best of these codings. Of equal ones, the first of `preferred` is best. */
    encoding(
      available: ReadonlyArray<string>,
      options: { readonly preferred: ReadonlyArray<string> }
    ): string | undefined
  }
}
