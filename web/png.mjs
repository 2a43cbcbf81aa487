// Writes images with at most 256 colours, which take a third of the bytes.
import { crc32, deflateSync } from "node:zlib";

/** Returns the pixels of an image, decoded by a page of a browser. */
async function decode(page, png) {
  const { width, height, data } = await page.evaluate(async (base64) => {
    const blob = await (await fetch(`data:image/png;base64,${base64}`)).blob();
    const bitmap = await createImageBitmap(blob);
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const { data: pixels } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const bytes = new Uint8Array(await new Blob([pixels]).arrayBuffer());
    let text = "";
    for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
    return { width: bitmap.width, height: bitmap.height, data: btoa(text) };
  }, png.toString("base64"));
  return { width, height, pixels: Buffer.from(data, "base64") };
}

/** Returns the most frequent colours. */
function palette(pixels) {
  const counts = new Map();
  for (let at = 0; at < pixels.length; at += 4) {
    const color = pixels.readUIntBE(at, 3);
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  return [...counts].sort((one, other) => other[1] - one[1] || one[0] - other[0]).slice(0, 256).map(([color]) => color);
}

const parts = (color) => [color >> 16, (color >> 8) & 255, color & 255];

function nearest(colors, color) {
  const wanted = parts(color);
  const distance = (other) => parts(other).reduce((sum, part, index) => sum + (part - wanted[index]) ** 2, 0);
  return colors.reduce((best, other, index) => (distance(other) < distance(colors[best]) ? index : best), 0);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** Returns an image with fewer colours. */
export async function reduceColors(page, png) {
  const { width, height, pixels } = await decode(page, png);
  const colors = palette(pixels);
  const indexes = new Map(colors.map((color, index) => [color, index]));
  const lines = Buffer.alloc(height * (width + 1));
  for (let at = 0; at < width * height; at++) {
    const color = pixels.readUIntBE(at * 4, 3);
    if (!indexes.has(color)) indexes.set(color, nearest(colors, color));
    lines[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = indexes.get(color);
  }
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  const data = deflateSync(lines, { level: 9 });
  return Buffer.concat([signature, chunk("IHDR", head), chunk("PLTE", Buffer.from(colors.flatMap(parts))), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}
