/**
 * Loads libvips, for pictures that the service itself draws. It keeps no files and results, and one thread draws, so that the
 * other processors are left to the requests. Uploads are decoded in processes of their own.
 */
export const loadSharp = async () => {
  const { default: sharp } = await import("sharp")
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}
