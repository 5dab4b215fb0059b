import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/** Directory of the skills of a site (Agent Skills Discovery, version 0.2). */
export const SKILLS_PATH = "/.well-known/agent-skills"

const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"

const NAME_LENGTH_MAX = 64

/** The parts of the service that its skill depends on. */
interface Described {
  /** The name of the site. */
  readonly name: string
  /** Origin of the URLs. */
  readonly base: string
  readonly takesPayments: boolean
}

/** Returns the name of a site's skill: its host in lower case letters, digits and single hyphens. */
export const skillNameOf = (base: string): string =>
  new URL(base).hostname
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, NAME_LENGTH_MAX)
    .replaceAll(/^-|-$/g, "")

const descriptionOf = ({ base, name, takesPayments }: Described) =>
  takesPayments
    ? `Reads, publishes, buys, sells and tips Markdown posts on ${name} (${base}) over HTTP, paid in Nano (XNO) by x402. Use it to find or read a post there, to publish or sell one, to pay for one, or to comment on it.`
    : `Reads and publishes Markdown posts on ${name} (${base}) over HTTP. Use it to find or read a post there, to publish one, or to comment on it.`

/** Returns the `SKILL.md` that installers copy: the introduction for agents behind a name and a description. */
export const skillText = (described: Described, introduction: string): string =>
  [
    "---",
    `name: ${skillNameOf(described.base)}`,
    // YAML reads strings of JSON, so the name of the site cannot end this line.
    `description: ${JSON.stringify(descriptionOf(described))}`,
    "---",
    "",
    introduction
  ].join("\n")

/** Returns the index in which installers find the skill, with the digest of its text. */
export const skillIndex = (described: Described, text: string) => {
  const name = skillNameOf(described.base)
  return {
    $schema: SCHEMA,
    skills: [
      {
        name,
        type: "skill-md",
        description: descriptionOf(described),
        url: `${described.base}${SKILLS_PATH}/${name}/SKILL.md`,
        digest: `sha256:${bytesToHex(sha256(utf8ToBytes(text)))}`
      }
    ]
  }
}
