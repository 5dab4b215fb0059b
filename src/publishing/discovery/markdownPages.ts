import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type {
  PostSummary,
  PublicPost,
  PublicProfile
} from "../../../schemas/publishing/discovery/Discovery.ts"

const paragraphs = (parts: ReadonlyArray<string>) => parts.filter((part) => part !== "").join("\n\n")

/** Returns the public page of a Post as Markdown: the whole text of a free Post, the teaser of a paid one. */
export const postPageOf = ({
  author,
  description,
  freeContentMarkdown,
  priceRaw,
  title
}: PublicPost): string =>
  paragraphs([
    `# ${title}`,
    `*by ${author.name}*`,
    description,
    freeContentMarkdown ?? "",
    priceRaw === null ? "" : `*The rest costs ${xnoOfRaw(BigInt(priceRaw))} XNO.*`
  ])

/** Returns the public page of an author as Markdown, with these Posts. */
export const profilePageOf = (
  { bio, handle, location, name }: PublicProfile,
  posts: ReadonlyArray<PostSummary>
): string =>
  paragraphs([
    `# ${name}`,
    `*@${handle}${location === null ? "" : `, ${location}`}*`,
    bio ?? "",
    posts.map(({ title, url }) => `- [${title}](${url})`).join("\n")
  ])
