// The rules: a sea that scrolls, a submarine in it, pearls to take and things to avoid.
// Units are sea units (the sea is at least 540 tall) and seconds. Nothing here draws.

const MERCY = 1.6; // seconds without harm after a hit
const CHAIN = 1.5; // seconds within which the next pearl counts more
const between = (low, high) => low + Math.random() * (high - low);
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

export class Game {
  constructor({ width, height }) {
    this.width = width;
    this.height = height;
    this.sub = { x: Math.min(150, width * 0.3), y: height * 0.45, vx: 0, vy: 0, tilt: 0 };
    this.hull = 3;
    this.pearls = 0;
    this.bonus = 0;
    this.chain = 0;
    this.chainLeft = 0;
    this.shielded = false;
    this.marks = [];
    this.time = 0;
    this.travelled = 0;
    this.mercy = 0;
    this.shake = 0;
    this.things = [];
    this.bubbles = [];
    this.untilHazard = 1.2;
    this.untilPearls = 0.6;
    this.untilShield = 7;
  }

  get score() {
    return this.bonus + Math.floor(this.travelled / 40);
  }

  /// What a pearl is worth now: every fifth one in a chain adds one, up to five times.
  get factor() {
    return Math.min(5, 1 + Math.floor(this.chain / 5));
  }

  get speed() {
    return 190 + Math.min(230, this.time * 3.2);
  }

  get floor() {
    return this.height - 56;
  }

  resize({ width, height }) {
    this.width = width;
    this.height = height;
    this.sub.x = clamp(this.sub.x, 60, width - 60);
    this.sub.y = clamp(this.sub.y, 92, this.floor);
  }

  /// Moves the scenery only, for the title screen.
  drift(dt) {
    this.time += dt;
    this.travelled += 60 * dt;
    this.breathe(dt);
  }

  /// Advances the game and returns the sounds it makes.
  step(dt, input) {
    const events = [];
    this.time += dt;
    this.travelled += this.speed * dt;
    this.mercy = Math.max(0, this.mercy - dt);
    this.shake = Math.max(0, this.shake - dt * 2.5);
    this.chainLeft = Math.max(0, this.chainLeft - dt);
    if (this.chainLeft === 0) this.chain = 0;
    for (const mark of this.marks) {
      mark.life -= dt;
      mark.y -= 46 * dt;
    }
    this.marks = this.marks.filter((mark) => mark.life > 0);
    this.steer(dt, input);
    this.spawn(dt);
    this.breathe(dt);
    for (const thing of this.things) this.move(thing, dt);
    for (const thing of this.things) this.touch(thing, events);
    this.things = this.things.filter((thing) => !thing.gone && thing.x > -120);
    return events;
  }

  steer(dt, input) {
    const sub = this.sub;
    const wish = input.direction;
    const grip = 1 - Math.exp(-dt * 7);
    sub.vx += (wish.x * 330 - sub.vx) * grip;
    sub.vy += (wish.y * 370 - sub.vy) * grip;
    const drag = input.takeDrag();
    sub.x = clamp(sub.x + sub.vx * dt + drag.x, 60, this.width - 60);
    sub.y = clamp(sub.y + sub.vy * dt + drag.y, 92, this.floor);
    const lean = clamp((sub.vy + (drag.y / dt) * 0.5) / 900, -0.4, 0.4);
    sub.tilt += (lean - sub.tilt) * (1 - Math.exp(-dt * 9));
  }

  spawn(dt) {
    this.untilHazard -= dt;
    this.untilPearls -= dt;
    if (!this.shielded) this.untilShield -= dt;
    const x = this.width + 90;
    if (this.untilHazard <= 0) {
      this.untilHazard = between(0.75, 1.25) * (190 / this.speed) ** 0.8 * 1.25;
      const y = between(80, this.floor - 30);
      if (Math.random() < 0.6) this.things.push({ kind: "mine", x, y, base: y, radius: 31, phase: between(0, 6), swing: between(0, 40) });
      else this.things.push({ kind: "jelly", x, y, base: y, radius: 30, phase: between(0, 6), swing: between(50, 120) });
    }
    if (this.untilShield <= 0) {
      this.untilShield = between(14, 22);
      const y = between(120, this.floor - 80);
      this.things.push({ kind: "shield", x, y, base: y, radius: 30, phase: 0, swing: 34 });
    }
    if (this.untilPearls <= 0) {
      this.untilPearls = between(1.6, 2.8);
      const y = between(110, this.floor - 60);
      const count = Math.floor(between(3, 7));
      const bend = between(-55, 55);
      for (let i = 0; i < count; i++) {
        const arc = Math.sin((Math.PI * i) / (count - 1)) * bend;
        this.things.push({ kind: "pearl", x: x + i * 46, y: y + arc, base: y + arc, radius: 22, phase: i * 0.5, swing: 5 });
      }
    }
  }

  move(thing, dt) {
    const own = { mine: 0, jelly: 46, pearl: 0, shield: -30 }[thing.kind];
    thing.x -= (this.speed + own) * dt;
    thing.phase += dt * (thing.kind === "jelly" ? 1.7 : 2.4);
    thing.y = clamp(thing.base + Math.sin(thing.phase) * thing.swing, 40, this.floor + 10);
  }

  touch(thing, events) {
    // The hull is a capsule: the nearest point of its axis decides.
    const nearest = clamp(thing.x, this.sub.x - 26, this.sub.x + 26);
    if (Math.hypot(thing.x - nearest, thing.y - this.sub.y) > thing.radius + 22) return;
    if (thing.kind === "pearl") {
      thing.gone = true;
      this.pearls += 1;
      this.chain = Math.min(this.chain + 1, 25);
      this.chainLeft = CHAIN;
      const worth = 10 * this.factor;
      this.bonus += worth;
      this.marks.push({ x: thing.x, y: thing.y - 24, text: `+${worth}`, life: 0.9 });
      this.burst(thing.x, thing.y, 5);
      events.push({ sound: "pearl", rate: 1 + Math.min(this.chain, 12) * 0.05 });
    } else if (thing.kind === "shield") {
      thing.gone = true;
      this.shielded = true;
      this.burst(thing.x, thing.y, 14);
      events.push({ sound: "pearl", rate: 0.6 });
    } else if (this.shielded && this.mercy === 0) {
      this.shielded = false;
      this.mercy = MERCY / 2;
      thing.gone = true;
      this.shake = 0.5;
      this.burst(thing.x, thing.y, 20);
      events.push({ sound: "hit", rate: 1.6 });
    } else if (this.mercy === 0) {
      this.hull -= 1;
      this.mercy = MERCY;
      this.chain = 0;
      this.shake = 1;
      thing.gone = thing.kind === "mine";
      this.burst(thing.x, thing.y, 26);
      events.push({ sound: "hit" });
    }
  }

  burst(x, y, count) {
    for (let i = 0; i < count; i++) {
      const angle = between(0, Math.PI * 2);
      const push = between(20, 190);
      this.bubbles.push({ x, y, vx: Math.cos(angle) * push, vy: Math.sin(angle) * push, r: between(2, 7), life: between(0.5, 1.2) });
    }
  }

  breathe(dt) {
    if (Math.random() < dt * 14) {
      this.bubbles.push({ x: this.sub.x - 58, y: this.sub.y + between(-6, 8), vx: -between(60, 150), vy: between(-30, 10), r: between(1.5, 4.5), life: between(0.7, 1.5) });
    }
    for (const bubble of this.bubbles) {
      bubble.life -= dt;
      bubble.x += bubble.vx * dt;
      bubble.y += bubble.vy * dt;
      bubble.vx *= 1 - dt * 1.5;
      bubble.vy += (-70 - bubble.vy) * dt * 1.5;
    }
    this.bubbles = this.bubbles.filter((bubble) => bubble.life > 0);
  }
}
