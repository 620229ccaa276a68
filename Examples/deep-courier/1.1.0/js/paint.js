// Draws a game. Reads it, never changes it.

export async function loadImages(urls) {
  const loaded = await Promise.all(
    Object.entries(urls).map(async ([name, url]) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      return [name, image];
    }),
  );
  return Object.fromEntries(loaded);
}

// Where the far things stand: a fixed scatter, so that the sea looks the same on every run.
const scatter = (index, salt) => {
  const value = Math.sin(index * 127.1 + salt * 311.7) * 43758.5453;
  return value - Math.floor(value);
};

export class Painter {
  constructor(canvas, images) {
    this.context = canvas.getContext("2d", { alpha: false });
    this.images = images;
  }

  resize(world, scale) {
    this.width = world.width;
    this.height = world.height;
    this.scale = scale;
    const water = this.context.createLinearGradient(0, 0, 0, world.height);
    water.addColorStop(0, "#2fa9c9");
    water.addColorStop(0.35, "#1673a8");
    water.addColorStop(0.75, "#0d3f7c");
    water.addColorStop(1, "#072350");
    this.water = water;
  }

  draw(game) {
    const c = this.context;
    const jolt = game.shake * game.shake * 9;
    c.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    c.fillStyle = this.water;
    c.fillRect(0, 0, this.width, this.height);
    this.rays(game.time);
    this.hills(game.travelled * 0.12, 150, "#0f4f8a", 0.9);
    this.hills(game.travelled * 0.25 + 900, 96, "#0b3b72", 1.3);
    this.plankton(game);
    c.save();
    c.translate(Math.sin(game.time * 71) * jolt, Math.cos(game.time * 53) * jolt);
    this.bed(game);
    for (const thing of game.things) this.thing(thing, game);
    this.sub(game);
    this.bubbles(game.bubbles);
    this.marks(game);
    c.restore();
    this.front(game);
  }

  rays(time) {
    const c = this.context;
    c.save();
    c.globalCompositeOperation = "lighter";
    for (let i = 0; i < 6; i++) {
      const x = ((i + 0.5) / 6) * this.width * 1.3 + Math.sin(time * 0.25 + i * 2) * 40;
      const spread = 26 + 30 * scatter(i, 3);
      const ray = c.createLinearGradient(0, 0, 0, this.height * 0.85);
      ray.addColorStop(0, `rgba(190,245,255,${0.1 + 0.05 * Math.sin(time * 0.6 + i)})`);
      ray.addColorStop(1, "rgba(190,245,255,0)");
      c.fillStyle = ray;
      c.beginPath();
      c.moveTo(x - spread, 0);
      c.lineTo(x + spread, 0);
      c.lineTo(x - 150 + spread * 2.4, this.height * 0.85);
      c.lineTo(x - 150 - spread * 2.4, this.height * 0.85);
      c.fill();
    }
    c.restore();
  }

  hills(shift, rise, colour, grain) {
    const c = this.context;
    c.fillStyle = colour;
    c.beginPath();
    c.moveTo(0, this.height);
    for (let x = 0; x <= this.width + 12; x += 12) {
      const at = (x + shift) * 0.004 * grain;
      const top = Math.sin(at) * 0.5 + Math.sin(at * 2.3 + 1) * 0.3 + Math.sin(at * 5.1) * 0.12;
      c.lineTo(x, this.height - rise * (0.75 + 0.45 * top));
    }
    c.lineTo(this.width + 12, this.height);
    c.fill();
  }

  plankton(game) {
    const c = this.context;
    c.fillStyle = "rgba(210,250,255,.35)";
    for (let i = 0; i < 44; i++) {
      const depth = 0.25 + scatter(i, 1) * 0.5;
      const span = this.width + 40;
      const x = span - ((game.travelled * depth + scatter(i, 2) * span) % span) - 20;
      const y = scatter(i, 5) * this.height + Math.sin(game.time + i) * 6;
      c.fillRect(x, y, depth * 3.2, depth * 3.2);
    }
  }

  /// Things that stand on the bed: one in every `gap` units of the way, at a place of its own.
  standing(travelled, gap, salt, place) {
    const first = Math.floor((travelled - 200) / gap);
    const last = Math.ceil((travelled + this.width + 200) / gap);
    for (let i = first; i <= last; i++) place(i * gap + scatter(i, salt) * gap * 0.7 - travelled, scatter(i, salt + 1), i);
  }

  bed(game) {
    const c = this.context;
    const { rock, kelp } = this.images;
    this.standing(game.travelled, 150, 11, (x, dice, i) => {
      const size = 0.5 + dice * 0.5;
      c.save();
      c.translate(x, this.height - 18);
      c.transform(1, 0, Math.sin(game.time * 1.1 + i) * 0.1, 1, 0, 0);
      c.globalAlpha = 0.95;
      c.drawImage(kelp, -40 * size, -220 * size, 80 * size, 220 * size);
      c.restore();
    });
    this.standing(game.travelled, 330, 21, (x, dice) => {
      const size = 0.7 + dice * 0.6;
      c.drawImage(rock, x, this.height - 88 * size, 160 * size, 96 * size);
    });
    const sand = c.createLinearGradient(0, this.height - 30, 0, this.height);
    sand.addColorStop(0, "#2a6488");
    sand.addColorStop(1, "#0a2850");
    c.fillStyle = sand;
    c.beginPath();
    c.moveTo(-20, this.height + 20);
    for (let x = -20; x <= this.width + 20; x += 16) {
      c.lineTo(x, this.height - 20 - Math.sin((x + game.travelled) * 0.013) * 5 - Math.sin((x + game.travelled) * 0.041) * 2);
    }
    c.lineTo(this.width + 20, this.height + 20);
    c.fill();
  }

  thing(thing, game) {
    const c = this.context;
    c.save();
    c.translate(thing.x, thing.y);
    if (thing.kind === "mine") {
      c.save();
      c.strokeStyle = "rgba(10,24,52,.65)";
      c.lineWidth = 4;
      c.setLineDash([7, 5]);
      c.beginPath();
      c.moveTo(0, 36);
      c.lineTo(0, this.height - 20 - thing.y);
      c.stroke();
      c.restore();
      c.rotate(Math.sin(thing.phase * 0.6) * 0.25);
      c.drawImage(this.images.mine, -46, -46, 92, 92);
    } else if (thing.kind === "jelly") {
      const squeeze = Math.sin(game.time * 5 + thing.base) * 0.07;
      c.scale(1 + squeeze, 1 - squeeze);
      c.drawImage(this.images.jelly, -44, -46, 88, 110);
    } else if (thing.kind === "shield") {
      const swell = 1 + Math.sin(game.time * 4) * 0.06;
      c.scale(swell, swell);
      c.drawImage(this.images.shield, -40, -40, 80, 80);
    } else {
      c.drawImage(this.images.pearl, -30, -30, 60, 60);
    }
    c.restore();
  }

  sub(game) {
    const c = this.context;
    const { x, y, tilt } = game.sub;
    c.save();
    c.translate(x, y + Math.sin(game.time * 2.2) * 2.5);
    c.rotate(tilt);
    this.lamp();
    if (game.mercy === 0 || Math.sin(game.time * 34) > -0.2) c.drawImage(this.images.sub, -70, -58, 134, 97);
    if (game.shielded) this.bubble(game.time);
    c.restore();
  }

  bubble(time) {
    const c = this.context;
    const glow = c.createRadialGradient(0, 0, 50, 0, 0, 88);
    glow.addColorStop(0, "rgba(130,255,225,0)");
    glow.addColorStop(1, `rgba(130,255,225,${0.4 + 0.12 * Math.sin(time * 5)})`);
    c.fillStyle = glow;
    c.strokeStyle = "rgba(214,255,244,.9)";
    c.lineWidth = 2.5;
    c.beginPath();
    c.ellipse(-2, -6, 86, 68, 0, 0, Math.PI * 2);
    c.fill();
    c.stroke();
    c.strokeStyle = "rgba(255,255,255,.7)";
    c.lineWidth = 5;
    c.lineCap = "round";
    c.beginPath();
    c.ellipse(-2, -6, 76, 58, 0, Math.PI * 1.08, Math.PI * 1.36);
    c.stroke();
  }

  marks(game) {
    const c = this.context;
    c.textAlign = "center";
    c.lineJoin = "round";
    c.lineWidth = 5;
    c.strokeStyle = "#07183a";
    c.fillStyle = game.factor > 1 ? "#ffd45e" : "#e9fbff";
    c.font = `800 ${20 + game.factor * 2}px system-ui, sans-serif`;
    for (const mark of game.marks) {
      c.globalAlpha = Math.min(1, mark.life * 2);
      c.strokeText(mark.text, mark.x, mark.y);
      c.fillText(mark.text, mark.x, mark.y);
    }
    if (game.factor > 1) {
      c.globalAlpha = Math.min(1, game.chainLeft * 2);
      c.strokeText(`chain ×${game.factor}`, game.sub.x, game.sub.y - 84);
      c.fillText(`chain ×${game.factor}`, game.sub.x, game.sub.y - 84);
    }
    c.globalAlpha = 1;
  }

  lamp() {
    const c = this.context;
    c.save();
    c.globalCompositeOperation = "lighter";
    const light = c.createRadialGradient(54, 4, 4, 54, 4, 330);
    light.addColorStop(0, "rgba(255,246,190,.5)");
    light.addColorStop(1, "rgba(255,246,190,0)");
    c.fillStyle = light;
    c.beginPath();
    c.moveTo(54, 2);
    c.lineTo(380, -88);
    c.quadraticCurveTo(420, 4, 380, 104);
    c.lineTo(54, 8);
    c.fill();
    c.restore();
  }

  bubbles(list) {
    const c = this.context;
    c.lineWidth = 1.2;
    for (const bubble of list) {
      c.globalAlpha = Math.min(1, bubble.life * 1.6) * 0.8;
      c.strokeStyle = "#dffaff";
      c.fillStyle = "rgba(200,245,255,.25)";
      c.beginPath();
      c.arc(bubble.x, bubble.y, bubble.r, 0, Math.PI * 2);
      c.fill();
      c.stroke();
    }
    c.globalAlpha = 1;
  }

  front(game) {
    const c = this.context;
    const shade = c.createRadialGradient(this.width / 2, this.height / 2, this.height * 0.4, this.width / 2, this.height / 2, Math.max(this.width, this.height) * 0.75);
    shade.addColorStop(0, "rgba(4,14,40,0)");
    shade.addColorStop(1, `rgba(${game.mercy > 1.2 ? "120,10,30" : "4,14,40"},.55)`);
    c.fillStyle = shade;
    c.fillRect(0, 0, this.width, this.height);
  }
}
