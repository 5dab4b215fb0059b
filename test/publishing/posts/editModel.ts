/** One action of an author in a script. `post` is the place of the Post in the order of creation. */
export type Step =
  | { readonly do: "create"; readonly key: 0 | 1 | 2; readonly body: Body }
  | { readonly do: "patch"; readonly post: number; readonly patch: Body; readonly revision: Revision }
  | { readonly do: "publish"; readonly post: number; readonly key: 1 | 2 }
  | { readonly do: "unpublish"; readonly post: number }
  | { readonly do: "remove"; readonly post: number }

/** The revision that a patch sends. */
export type Revision = "none" | "current" | "stale"

/** The members of a Post that the scripts write. */
export interface Body {
  readonly title?: string
  readonly freeContentMarkdown?: string
  readonly slug?: string
  readonly creationAttested?: boolean
}

/** A Post of the model. */
interface ModelPost {
  readonly title: string
  readonly text: string
  readonly slug: string | undefined
  readonly attested: boolean
  readonly status: "draft" | "published"
  /** Grows with every change. */
  readonly changes: number
}

/** The answer to a step: the tag of a refusal, or the resulting Post. */
export type Answer = { readonly refused: string } | { readonly post: ModelPost; readonly replayed?: boolean }

/** The rules of spec 3.1 and 4.3 for one author, without a database. */
export class EditModel {
  private readonly posts: Array<ModelPost | undefined> = []
  private readonly creations = new Map<number, { readonly body: string; readonly post: number }>()
  private readonly publications = new Map<number, { readonly post: number }>()

  /** The number of Posts created so far, with removed ones. */
  get count() {
    return this.posts.length
  }

  run(step: Step): Answer {
    switch (step.do) {
      case "create":
        return this.create(step.key, step.body)
      case "patch":
        return this.patch(step.post, step.patch, step.revision)
      case "publish":
        return this.publish(step.post, step.key)
      case "unpublish":
        return this.change(step.post, (post) => ({ ...post, status: "draft" }))
      case "remove":
        return this.remove(step.post)
    }
  }

  private isSlugTaken(slug: string | undefined, but: number) {
    return slug !== undefined && this.posts.some((post, place) => place !== but && post?.slug === slug)
  }

  private create(key: number, body: Body): Answer {
    if (body.freeContentMarkdown === undefined) return { refused: "Validation" }
    const earlier = key === 0 ? undefined : this.creations.get(key)
    if (earlier !== undefined) {
      if (earlier.body !== JSON.stringify(body)) return { refused: "IdempotencyMismatch" }
      const post = this.posts[earlier.post]
      return post === undefined ? { refused: "ResourceGone" } : { post, replayed: true }
    }
    if (this.isSlugTaken(body.slug, -1)) return { refused: "SlugTaken" }
    const post: ModelPost = {
      title: body.title ?? "",
      text: body.freeContentMarkdown,
      slug: body.slug,
      attested: body.creationAttested ?? false,
      status: "draft",
      changes: 0
    }
    if (key !== 0) this.creations.set(key, { body: JSON.stringify(body), post: this.posts.length })
    this.posts.push(post)
    return { post }
  }

  private patch(place: number, patch: Body, revision: Revision): Answer {
    const post = this.posts[place]
    if (post === undefined) return { refused: "NotFound" }
    if (revision === "stale") return { refused: "RevisionConflict" }
    const isPublic = post.status === "published"
    if (isPublic && patch.slug !== undefined && patch.slug !== post.slug) return { refused: "PostPublished" }
    const changed: ModelPost = {
      ...post,
      title: patch.title ?? post.title,
      text: patch.freeContentMarkdown ?? post.text,
      slug: patch.slug ?? post.slug,
      attested: patch.creationAttested ?? post.attested,
      changes: post.changes + 1
    }
    if (isPublic && !isComplete(changed)) return { refused: "PublicationIncomplete" }
    if (patch.slug !== post.slug && this.isSlugTaken(patch.slug, place)) return { refused: "SlugTaken" }
    this.posts[place] = changed
    return { post: changed }
  }

  private publish(place: number, key: number): Answer {
    const post = this.posts[place]
    const earlier = this.publications.get(key)
    if (earlier !== undefined && earlier.post !== place) return { refused: "IdempotencyMismatch" }
    // A kept answer is replayed while it is true. The clock of the scripts stands still, so that a Post published again
    // has the same time of publication.
    if (earlier !== undefined && post !== undefined) {
      return post.status === "published" ? { post, replayed: true } : { refused: "IdempotencyKeySpent" }
    }
    if (post === undefined) return { refused: "NotFound" }
    if (post.status === "draft" && !isComplete(post)) return { refused: "PublicationIncomplete" }
    this.publications.set(key, { post: place })
    return this.change(place, (it) => ({ ...it, status: "published" }))
  }

  private change(place: number, to: (post: ModelPost) => ModelPost): Answer {
    const post = this.posts[place]
    if (post === undefined) return { refused: "NotFound" }
    const changed = to(post)
    const isNew = changed.status !== post.status
    this.posts[place] = isNew ? { ...changed, changes: post.changes + 1 } : post
    return { post: this.posts[place] ?? post }
  }

  private remove(place: number): Answer {
    const post = this.posts[place]
    if (post === undefined) return { refused: "NotFound" }
    if (post.status === "published") return { refused: "PostPublished" }
    this.posts[place] = undefined
    return { post }
  }
}

/** Every script has the other members that a public Post needs. */
const isComplete = ({ attested, text, title }: ModelPost) => title !== "" && text !== "" && attested
