import { Layer } from "effect"
import { SectionReader } from "../content/SectionReader.ts"
import { AccountStorage } from "../storage/AccountStorage.ts"
import { ImageReferences } from "./ImageReferences.ts"
import { ImportedPosts } from "./ImportedPosts.ts"
import { LongWrites } from "./LongWrites.ts"
import { NativeContents } from "./NativeContents.ts"
import { OgImages } from "./OgImages.ts"
import { PostFiles } from "./PostFiles.ts"
import { Posts } from "./Posts.ts"
import { Publishing } from "./Publishing.ts"
import { SavedReferences } from "./SavedReferences.ts"
import { PostTexts } from "./texts/PostTexts.ts"

const internals = Layer.mergeAll(AccountStorage.layer, LongWrites.layer)

/** Posts as their authors write and publish them. */
export const layer = Layer.mergeAll(
  ImageReferences.layer,
  ImportedPosts.layer,
  NativeContents.layer,
  OgImages.layer,
  PostFiles.layer,
  Posts.layer,
  Publishing.layer,
  SavedReferences.layer
).pipe(Layer.provide(internals), Layer.provideMerge(PostTexts.layer), Layer.provideMerge(SectionReader.layer))
