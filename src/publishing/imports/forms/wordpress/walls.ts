import { blockComments } from "./blocks.ts"

/** Parts of names that membership plugins give to what only some readers may see. */
const GUARDED =
  /(?<!re)member|restrict|premium|paywall|paid|protect|subscri|private|login|logged|content[-_]control/i

/** Parts of names of values by which any block may be hidden. */
const GUARDED_VALUE =
  /(?<!re)member|restrict|premium|paywall|paid|protect|subscri|logged|visibility|pmpro|^rcp/i

/** Shortcodes of membership plugins whose names do not say so. */
const SHORTCODES =
  /^(?:s2if|mepr[-_]\w+|rcp[-_]\w+|ihc[-_]\w+|um[-_]\w+|pmpro\w*|wlm[-_]\w+|wlm|swpm\w*|wpmem\w*|arm_?if|arm_\w+|passster|ppwp\w*|groups_\w+|is_user_\w+|access|vip|accesscontent|wcm_\w+|memberful|memberpress\w*|leaky_\w+|newspack_\w+|patreon\w*|um_show_content|levels?|tier|wpfs\w*|eds?d_restrict|if_user\w*|visitor|guest|hide|hidden)$/i

/** Blocks of membership plugins, whether they enclose something or not. */
const BLOCKS =
  /^(?:jetpack\/paywall|premium-content\/[\w-]+|memberful\/[\w-]+|pmpro\/[\w-]+|rcp\/[\w-]+|restrict-content(?:-pro)?\/[\w-]+|leaky-paywall\/[\w-]+|paid-member-subscriptions\/[\w-]+|memberpress\/[\w-]+|woocommerce-memberships\/[\w-]+|patreon\/[\w-]+|ultimate-member\/[\w-]+)/i

/** Blocks with such a name that everyone sees: a form to subscribe, a link to sign in, a button. */
const OPEN_BLOCKS =
  /^(?:jetpack\/subscriptions|jetpack\/subscriber-login|loginout|core\/loginout|jetpack\/recurring-payments)$/i

const CODE_NAME = /\[(\/?)([a-z][\w-]{0,60})(?=[\s\]/])/gi

interface Wall {
  readonly at: number
  readonly word: string
}

/** Returns the first block that hides something. */
const blockWall = (content: string): Wall | undefined => {
  for (const { at, given, isSelfClosing, name } of blockComments(content)) {
    if (OPEN_BLOCKS.test(name)) continue
    const keys = [...given.matchAll(/"([\w-]{1,60})"\s{0,5}:/g)].map(([, key = ""]) => key)
    if (
      BLOCKS.test(name) ||
      (!isSelfClosing && GUARDED.test(name)) ||
      keys.some((key) => GUARDED_VALUE.test(key))
    )
      return { at, word: name }
  }
  return undefined
}

/** Returns the first shortcode that hides something: of the list, or enclosing with such a name. `[[name]]` is text. */
const shortcodeWall = (content: string): Wall | undefined => {
  const closed = new Set(
    [...content.matchAll(CODE_NAME)]
      .filter(([, slash]) => slash === "/")
      .map(([, , name = ""]) => name.toLowerCase())
  )
  for (const { 1: slash, 2: name = "", index } of content.matchAll(CODE_NAME)) {
    const isText = content[index - 1] === "[" && content[content.indexOf("]", index) + 1] === "]"
    if (slash === "/" || isText) continue
    if (SHORTCODES.test(name) || (GUARDED.test(name) && closed.has(name.toLowerCase())))
      return { at: index, word: name }
  }
  return undefined
}

/** Returns the first place from which on a text of WordPress is for some readers only. */
export const wordpressWall = (content: string): Wall | undefined => {
  const walls = [blockWall(content), shortcodeWall(content)].filter((it) => it !== undefined)
  return walls.toSorted((a, b) => a.at - b.at)[0]
}
