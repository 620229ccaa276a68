// Loads the assets, owns the screens (ready, playing, paused, over) and runs the clock.

import { Game } from "./game.js";
import { Input } from "./input.js";
import { loadImages, Painter } from "./paint.js";
import { Sound } from "./sound.js";

const STEP = 1 / 120;
const canvas = document.getElementById("sea");
const element = (id) => document.getElementById(id);
const sound = new Sound({ pearl: "audio/pearl.wav", hit: "audio/hit.wav" });
const input = new Input(canvas);
let game = new Game(size());
let painter;
let state = "loading";
let before = 0;
let owed = 0;
let best = recall();

// The best score stays on the device. Storage may be forbidden, which must not stop the game.
function recall() {
  try {
    return Number(localStorage.getItem("deep-courier.best")) || 0;
  } catch {
    return 0;
  }
}

function remember(score) {
  best = Math.max(best, score);
  try {
    localStorage.setItem("deep-courier.best", String(best));
  } catch {}
}

function size() {
  const width = Math.max(1, window.innerWidth);
  const height = Math.max(1, window.innerHeight);
  // The sea is at least 540 units tall and 420 wide, whatever the screen.
  const scale = Math.min(height / 540, width / 420);
  return { width: width / scale, height: height / scale, scale };
}

function fit() {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  canvas.width = Math.round(window.innerWidth * ratio);
  canvas.height = Math.round(window.innerHeight * ratio);
  const world = size();
  input.scale = world.scale;
  game.resize(world);
  painter.resize(world, world.scale * ratio);
}

function show(next) {
  state = next;
  document.body.dataset.state = next;
  const texts = {
    ready: ["Deep Courier", "Gather pearls, chain them, and catch a shield before the mines catch you.", "Dive"],
    paused: ["Paused", "The sea waits.", "Resume"],
    over: ["Hull breached", "The pearls go back to the sea.", "Dive again"],
  };
  if (!(next in texts)) return;
  const record = next === "over" && game.score > best;
  if (next === "over") remember(game.score);
  const [headline, message, action] = texts[next];
  element("headline").textContent = headline;
  element("message").textContent = record ? "But that is a new best!" : message;
  element("go").textContent = action;
  element("again").hidden = next !== "paused";
  element("result").hidden = next !== "over";
  element("result").textContent = `${game.score} points · ${game.pearls} pearls`;
  element("go").focus({ preventScroll: true });
}

function start() {
  game = new Game(size());
  input.forget();
  sound.unlock();
  show("playing");
}

function go() {
  if (state === "paused") show("playing");
  else if (state === "ready" || state === "over") start();
}

function pause() {
  if (state === "playing") show("paused");
}

function toggleSound() {
  sound.on = !sound.on;
  element("sound").setAttribute("aria-pressed", String(sound.on));
}

function hud() {
  element("score").textContent = game.score;
  document.body.dataset.score = game.score;
  const cells = element("hull").children;
  for (let i = 0; i < cells.length; i++) cells[i].classList.toggle("lost", i >= game.hull);
  element("hull").setAttribute("aria-label", `Hull ${game.hull} of 3${game.shielded ? ", shielded" : ""}`);
  element("shield").hidden = !game.shielded;
  element("best").textContent = Math.max(best, game.score);
}

function frame(now) {
  requestAnimationFrame(frame);
  const elapsed = Math.min(0.1, (now - before) / 1000);
  before = now;
  if (state === "playing") {
    owed += elapsed;
    while (owed >= STEP && state === "playing") {
      owed -= STEP;
      for (const event of game.step(STEP, input)) sound.play(event);
      if (game.hull === 0) show("over");
    }
    hud();
  } else if (state !== "paused") {
    game.drift(elapsed);
  }
  painter.draw(game);
}

element("go").addEventListener("click", go);
element("again").addEventListener("click", start);
element("pause").addEventListener("click", () => (state === "paused" ? go() : pause()));
element("sound").addEventListener("click", toggleSound);
// A button that keeps the focus would take the space bar.
for (const id of ["pause", "sound"]) element(id).addEventListener("click", () => document.activeElement.id === id && element(id).blur());
window.addEventListener("resize", () => painter && fit());
window.addEventListener("blur", pause);
document.addEventListener("visibilitychange", () => document.hidden && pause());
window.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.code === "KeyP" || event.code === "Escape") state === "paused" ? go() : pause();
  else if (event.code === "KeyR" && state !== "loading") start();
  else if (event.code === "KeyM") toggleSound();
  else if (event.code === "Space" && state !== "playing" && event.target === document.body) go();
});

const images = await loadImages({
  sub: "img/sub.png",
  mine: "img/mine.png",
  pearl: "img/pearl.png",
  shield: "img/shield.png",
  rock: "img/rock.png",
  jelly: "img/jelly.svg",
  kelp: "img/kelp.svg",
});
painter = new Painter(canvas, images);
fit();
show("ready");
requestAnimationFrame((now) => {
  before = now;
  frame(now);
});
