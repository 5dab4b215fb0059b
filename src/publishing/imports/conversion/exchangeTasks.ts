import { tasksOf } from "../../../platform/ports/tasks.ts"
import { type Exchange, withUrls } from "./withUrls.ts"

/** Work on sections of imported posts that takes up to a second for the longest ones. */
export const exchangeTasks = tasksOf("sections", {
  exchangeUrls: ({ exchange, source }: { readonly source: string; readonly exchange: Exchange }) =>
    withUrls(source, exchange)
})
