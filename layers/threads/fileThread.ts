import { hash } from "node:crypto"
import { archiveTasks, readArchive } from "../../src/publishing/archives/archiveTasks.ts"
import { imageTasks, readImage, type SentImage } from "../../src/publishing/image-formats/imageTasks.ts"
import { serveTasks } from "./serveTasks.ts"

// OpenSSL takes a third of the time of JavaScript.
const sha256 = (bytes: Uint8Array) => hash("sha256", bytes, "hex")

// The program of a thread; see OffloadThreads.
serveTasks({
  readImage: { ...imageTasks.readImage, run: (image: SentImage) => readImage(image, sha256) },
  readArchive: { ...archiveTasks.readArchive, run: (bytes: Uint8Array) => readArchive(bytes, sha256) }
})
