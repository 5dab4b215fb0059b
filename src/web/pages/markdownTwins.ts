import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type {
  PostSummary,
  PublicPost,
  PublicProfile
} from "../../../schemas/publishing/discovery/Discovery.ts"
import { secondsOf } from "../../platform/pages/language.ts"

const paragraphs = (parts: ReadonlyArray<string>) => `${parts.filter((part) => part !== "").join("\n\n")}\n`

/** Returns the front matter of a document. JSON's strings are YAML's, too. */
const frontMatter = (members: Readonly<Record<string, string | null>>) =>
  [
    "---",
    ...Object.entries(members).flatMap(([name, value]) =>
      value === null ? [] : [`${name}: ${JSON.stringify(value)}`]
    ),
    "---"
  ].join("\n")

const escapedTitle = (title: string) => title.replaceAll(/[\\[\]<>*_`]/g, "\\$&")

/** Returns a Post as Markdown: the whole text of a free Post, or the teaser of a paid one with the link to the rest. */
export const postMarkdown = (post: PublicPost, baseUrl: string): string => {
  const { author, description, freeContentMarkdown, id, priceRaw, title, url } = post
  const price = priceRaw === null ? null : xnoOfRaw(BigInt(priceRaw))
  const access = price === null ? null : `${baseUrl}/api/posts/${id}/access`
  return paragraphs([
    frontMatter({
      title,
      author: `${author.name} (@${author.handle})`,
      url,
      published: secondsOf(post.publishedAt),
      updated: secondsOf(post.updatedAt),
      language: post.language,
      price_xno: price,
      access_url: access,
      creation_method: post.creationMethod
    }),
    `# ${escapedTitle(title)}`,
    description,
    freeContentMarkdown ?? "",
    price === null ? "" : `*Keep reading for ${price} XNO: <${access}>*`
  ])
}

/** Returns an author as Markdown, with these Posts. */
export const authorMarkdown = (
  { author_kind, bio, handle, location, name }: PublicProfile,
  posts: ReadonlyArray<PostSummary>,
  baseUrl: string
): string =>
  paragraphs([
    frontMatter({ name, handle: `@${handle}`, url: `${baseUrl}/@${handle}`, location, author_kind }),
    `# ${escapedTitle(name)}`,
    bio ?? "",
    posts.map(({ title, url }) => `- [${escapedTitle(title)}](${url}.md)`).join("\n")
  ])
