import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { checkArchive } from "../../../src/publishing/archives/readArchive.ts"
import { refused } from "./archiveCorpus.ts"

/** Every sentence with which an archive is refused, as an author reads it: what is wrong, and what to do. */
const SENTENCES = [
  "The file does not start like a ZIP archive with a file: it may be empty, one of several parts, in another format, or a self-extracting program. Pack the files as one ordinary ZIP.",
  "The archive is one of several parts. Pack the files again as one ZIP, without splitting it into volumes.",
  "The archive is damaged: its end is missing. Send the whole file.",
  "The archive has the name of an entry twice, before its data and in the directory, and they differ. Pack the files again with another program, such as 7-Zip.",
  "The archive has the method of an entry twice, before its data and in the directory, and they differ. Pack the files again with another program, such as 7-Zip.",
  "The archive has the sizes of an entry twice, before its data and in the directory, and they differ. Pack the files again with another program, such as 7-Zip.",
  "The archive has the checksum of an entry twice, before its data and in the directory, and they differ. Pack the files again with another program, such as 7-Zip.",
  "The archive has the flags of an entry twice, before its data and in the directory, and they differ. Pack the files again with another program, such as 7-Zip.",
  "The archive has the checksum and sizes of an entry twice, behind its data and in the directory, and they differ. Pack the files again with another program, such as 7-Zip.",
  "The archive has the size of an uncompressed entry twice, as packed and as unpacked, and they differ. Pack the files again with another program, such as 7-Zip.",
  "The archive is damaged, or programs could read it differently. Pack the files again with another program, such as 7-Zip.",
  "The archive has the number of its entries twice, for this part and for all parts, and they differ. Pack the files again with another program, such as 7-Zip.",
  "The archive is damaged: its directory does not have the place and the size that its end says. Pack the files again with another program, such as 7-Zip.",
  "The archive has bytes after its end, as happens when it is written to a stream. Pack the files again as a file on a disk.",
  "The archive has bytes between its entries that belong to none of them. Pack the files again with another program, such as 7-Zip.",
  "The archive has the number of its entries twice, at its end and in ZIP64 before it, and they differ. Pack the files again with another program, such as 7-Zip.",
  "The archive has the place of its directory twice, at its end and in ZIP64 before it, and they differ. Pack the files again with another program, such as 7-Zip.",
  "The archive has a folder with content of its own. Pack the files again with another program, such as 7-Zip.",
  "The archive has the kind of an entry twice, as a file by its name and as a folder by its attributes, and they differ. Pack the files again with another program, such as 7-Zip.",
  "The archive has damaged or repeated extra fields in its directory. Pack the files again with another program, such as 7-Zip.",
  "The archive has the sizes or the place of an entry twice, in its record and in ZIP64, and they differ. Pack the files again with another program, such as 7-Zip.",
  "The archive has more than 300 entries. Pack the files into several archives.",
  "The archive has the name or comment of an entry twice, before its data and in the directory, and they differ. Pack the files again with another program, such as 7-Zip.",
  "The archive has extra fields before the data of an entry that are damaged. Pack the files again with another program, such as 7-Zip.",
  "The archive has the encryption of an entry twice, before its data and in the directory, and they differ. Pack the files again with another program, such as 7-Zip.",
  "The archive has a second end in its comment. Pack the files again without a comment.",
  "The archive is damaged: its end and its directory do not match. Pack the files again with another program, such as 7-Zip.",
  "The archive has the sizes of an entry behind its data in a different form than its header announces. Pack the files again with another program, such as 7-Zip.",
  "The archive has an uncompressed entry whose end some programs find in another place. Pack the files again with compression, as a file on a disk rather than into a stream.",
  "The archive has file modes of an Amiga, which some programs misread. Pack the files again on another system.",
  "The archive has the kind of an entry twice, before its data and in the directory, and they differ. Pack the files again with another program, such as 7-Zip.",
  "The archive has the kind of an entry twice, in its record and in an extra field that few programs read, and they differ. Pack the files again with another program, such as 7-Zip.",
  "The archive has the name of an entry twice, in its record and in Unicode, and they differ. Pack the files again with another program, such as 7-Zip.",
  "The archive has the comment of an entry twice, in its record and in Unicode, and they differ. Pack the files again with another program, such as 7-Zip.",
  "The archive is encrypted. Pack the files again without a password.",
  "The archive has a file that is compressed by another method than Deflate, such as Deflate64, LZMA or Zstandard. Pack the files again with the method Deflate.",
  "The archive has a file or folder whose name is in an old code page, such as Shift_JIS, GBK or Big5, and has a backslash for some programs. Pack the files again with names in UTF-8: with PowerShell 7, or with 7-Zip and the parameter `cu=on`.",
  "The archive has a file or folder with a character in its name that changes the direction of text. Rename it and pack the files again.",
  "The archive has a file or folder without a name. Pack the files again with another program, such as 7-Zip.",
  "The archive has a file or folder with a path that begins with a slash or a drive. Pack the folder by its name, rather than by its whole path.",
  "The archive has a file or folder with a backslash in its name, as PowerShell 5.1 and old .NET programs write between folders. Pack the files again with 7-Zip or PowerShell 7.",
  "The archive has a file or folder whose path has an empty part, `.` or `..`. Pack the folder by its name, rather than by a path with such parts.",
  "The archive has a file or folder with a control character in its name, such as the hidden icon file of a folder on a Mac. Rename it or leave it out, and pack the files again.",
  "The archive has a file or folder whose name ends in a dot or a space, which Windows drops. Rename it and pack the files again.",
  "The archive has a file or folder whose name ends in a semicolon and digits, which some programs drop. Rename it and pack the files again.",
  "The archive has a file or folder with the name of a Windows device, such as CON or NUL. Rename it and pack the files again.",
  "The archive has a file or folder whose path has more than 255 bytes. Shorten the names, or nest fewer folders, and pack the files again.",
  "The archive has a file or folder within more than 31 folders. Nest fewer folders, and pack the files again.",
  "The archive has an entry that is neither a file nor a folder, such as a link. Pack the files again with a copy of the file that the link points to.",
  "Two files or folders of the archive have the same name, at least on systems that ignore case. Rename or remove one, and pack the files again.",
  "The archive has no files. Add one, and pack the files again.",
  "The archive has more than 128 files. Pack them into several archives.",
  "The archive has more than 128 folders. Pack them into several archives.",
  "The archive unpacks to more than 100 MiB. Pack the files into several archives.",
  "The archive unpacks to more than 250 times its size. Pack the files again without compression, into several archives if one is too large."
]

const messageOf = (archive: Uint8Array) =>
  Effect.map(
    Effect.promise(() => checkArchive(archive)),
    Result.match({ onSuccess: () => "accepted", onFailure: ({ message }) => message })
  )

describe("the sentences about refused archives", () => {
  it.effect("The sentences are these, so that a change of one is read again", () =>
    Effect.gen(function* () {
      const archives = Object.values(refused).flatMap((all) => Object.values(all))
      const said = new Set(yield* Effect.forEach(archives, messageOf))
      assert.sameMembers([...said], SENTENCES)
    })
  )

  it("A sentence ends with what to do", () => {
    for (const sentence of SENTENCES)
      assert.match(sentence, /\. (?:Pack|Send|Rename|Shorten|Use|Add|Nest) [^.]+(?:\.NET)?[^.]*\.$/)
  })

  it("The advice for names of old programs names programs that pack them otherwise", () => {
    const advice = SENTENCES.filter((it) => it.includes("backslash"))
    assert.lengthOf(advice, 2)
    for (const sentence of advice) {
      assert.include(sentence, "7-Zip")
      assert.include(sentence, "PowerShell 7")
      assert.notInclude(sentence, "Rename")
    }
  })
})
