import { validated } from "../pages/documents.ts"

/** Returns what a browser sends for the form of a post when its reader changes nothing. */
export const sentForm = (text: string): Record<string, string> => {
  const sent: Record<string, string> = {}
  let select: string | undefined
  for (const { attributes, tag, text: content } of validated(text)) {
    const { checked, name, selected, type, value = "" } = attributes
    if (tag === "select") {
      select = name
    } else if (tag === "option") {
      if (select !== undefined && (selected !== undefined || !(select in sent))) sent[select] = value
    } else if (name === undefined || tag === "button" || type === "file") {
      continue
    } else if (tag === "textarea") {
      sent[name] = content.replaceAll("\n", "\r\n")
    } else if (tag === "input" && (!/^(checkbox|radio)$/.test(type ?? "") || checked !== undefined)) {
      sent[name] = value
    }
  }
  return sent
}
