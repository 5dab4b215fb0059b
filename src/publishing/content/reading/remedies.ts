import type { UnsupportedFeature, UnsupportedMarkdown } from "./sectionReading.ts"

/** One sentence for each unsupported feature: the way to write the same in Markdown (spec 2.7). */
const remedies: Readonly<Record<UnsupportedFeature, string>> = {
  html: "Write HTML as Markdown, or put it in backticks",
  task_list: "Write a task list as an ordinary list",
  table_cell_image: "Move the image out of the table",
  table_row_too_long: "Give the row at most as many cells as the header; write a literal pipe as \\|",
  table_cell_code_whitespace: "Remove spaces and line breaks at the ends of code in a table cell",
  link_target:
    "Link to an https:// address, a path such as /about, a heading such as #part-two, or a mailto:, tel: or nano: address",
  image_target: "Upload the image, or write its https:// address"
}

/** Tells an author what to write instead of an unsupported feature. */
export const remedyOf = ({ feature }: UnsupportedMarkdown): string => remedies[feature]
