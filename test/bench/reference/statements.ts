/**
 * The statements of the service, as the benchmark saw them in PostgreSQL, so that the reference servers send the very
 * same. What is written here is the order of their parameters; a wrong one is seen when the answers are compared.
 */
const texts: Readonly<Record<string, string>> = JSON.parse(process.env["STATEMENTS"] ?? "{}")

const prepared = (name: string) => {
  const text = texts[name]
  if (text === undefined) throw new Error(`STATEMENTS has no "${name}"; run.ts gives them`)
  return { name, text }
}

/** Parameters: page, per page. */
export const newest = prepared("newest")

/** Parameters: words, the words again, page, per page. */
export const search = prepared("search")

/** Parameters: id. */
export const post = prepared("post")

/** Parameters: key id, now. */
export const activeKey = prepared("activeKey")

/** Parameters: owner id. */
export const profile = prepared("key-check")

/** Parameters: hash of the token. */
export const refreshToken = prepared("refreshToken")

/**
 * Parameters: hash of the token, now, now, hash of the new token, the sealed pair, hash of the token, hash of the new
 * token, now.
 */
export const rotate = prepared("refresh")

/**
 * Parameters: the seven columns of the claim; the slug's base three times, how many numbers were tried, the owner and
 * the base again; the 23 columns of the Post.
 */
export const create = prepared("create")
