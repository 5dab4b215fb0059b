import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.zip.*;

/** Unpacks all archives of a directory: {@code java UnpackAll.java file|stream <archives> <outputs>}. */
public class UnpackAll {
  static void write(Path root, ZipEntry entry, InputStream content) throws IOException {
    Path path = root.resolve(entry.getName());
    if (entry.isDirectory()) {
      Files.createDirectories(path);
    } else {
      Files.createDirectories(path.getParent());
      Files.copy(content, path);
    }
  }

  static void unpackFile(Path archive, Path root) throws IOException {
    try (ZipFile zip = new ZipFile(archive.toFile())) {
      for (ZipEntry entry : Collections.list(zip.entries())) write(root, entry, zip.getInputStream(entry));
    }
  }

  static void unpackStream(Path archive, Path root) throws IOException {
    try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(archive))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) write(root, entry, zip);
    }
  }

  public static void main(String[] args) throws IOException {
    Path outputs = Path.of(args[2]);
    try (DirectoryStream<Path> archives = Files.newDirectoryStream(Path.of(args[1]))) {
      for (Path archive : archives) {
        Path root = Files.createDirectory(outputs.resolve(archive.getFileName()));
        String status = "0";
        try {
          if (args[0].equals("file")) unpackFile(archive, root);
          else unpackStream(archive, root);
        } catch (Exception error) {
          status = error.toString();
        }
        Files.writeString(Path.of(root + ".status"), status);
      }
    }
  }
}
