/// Words of which names in games are made, written for these tests alone: the table that names are judged by
/// (`CommonCharacters`) was counted from other text.
enum GameWords {
  static let simplifiedChinese = split(
    """
    背景 背景音乐 音效 按钮 图标 主角 敌人 怪物 地图 关卡 角色 动画 字体 界面 菜单 开始 暂停 结束 设置 得分 金币 宝箱 道具
    武器 剑 盾牌 弓箭 魔法 技能 火焰 冰霜 雷电 爆炸 血条 生命 体力 经验 等级 升级 任务 对话 头像 立绘 场景 森林 沙漠 雪山 海洋
    城堡 村庄 洞穴 天空 云朵 太阳 月亮 星星 树木 石头 草地 花朵 水面 桥梁 房屋 门 窗户 钥匙 锁 灯 桌子 椅子 床 书本 卷轴
    药水 红药 蓝药 苹果 面包 鱼 鸡 猫 狗 马 龙 骷髅 僵尸 幽灵 史莱姆 蝙蝠 蜘蛛 狼 熊 兔子 公主 骑士 法师 弓手 商人 铁匠 国王
    胜利 失败 通关 排行榜 签到 奖励 商店 背包 仓库 邮件 好友 公会 聊天 登录 注册 加载 进度条 遮罩 弹窗 提示 箭头 手指 引导
    新手教程 说明 版本 更新 日志 测试 备份 副本 新建文件夹 素材 原图 切图 贴图 纹理 模型 粒子 特效 光效 阴影 描边 数字 飘字
    消除 方块 糖果 泡泡 射击 飞机 坦克 子弹 炮塔 赛车 跑道 障碍 跳跃 冲刺 滑行 落地 脚步声 点击 提示音 欢呼 倒计时 鼓掌 打击
    麻将 扑克 斗地主 棋盘 骰子 转盘 红包 春节 中秋 圣诞 限时活动 首充 礼包 皮肤 坐骑 翅膀 称号 战斗 竞技场 世界首领 掉落 合成
    """)

  static let traditionalChinese = split(
    """
    背景 背景音樂 音效 按鈕 圖示 主角 敵人 怪物 地圖 關卡 角色 動畫 字型 介面 選單 開始 暫停 結束 設定 得分 金幣 寶箱 道具
    武器 劍 盾牌 弓箭 魔法 技能 火焰 冰霜 雷電 爆炸 血條 生命 體力 經驗 等級 升級 任務 對話 頭像 立繪 場景 森林 沙漠 雪山 海洋
    城堡 村莊 洞穴 天空 雲朵 太陽 月亮 星星 樹木 石頭 草地 花朵 水面 橋樑 房屋 門 窗戶 鑰匙 鎖 燈 桌子 椅子 床 書本 卷軸
    藥水 紅藥 藍藥 蘋果 麵包 魚 雞 貓 狗 馬 龍 骷髏 殭屍 幽靈 史萊姆 蝙蝠 蜘蛛 狼 熊 兔子 公主 騎士 法師 弓手 商人 鐵匠 國王
    勝利 失敗 過關 排行榜 簽到 獎勵 商店 背包 倉庫 郵件 好友 公會 聊天 登入 註冊 載入 進度條 遮罩 彈窗 提示 箭頭 手指 引導
    新手教學 說明 版本 更新 日誌 測試 備份 複製 新增資料夾 素材 原圖 切圖 貼圖 紋理 模型 粒子 特效 光效 陰影 描邊 數字 飄字
    消除 方塊 糖果 泡泡 射擊 飛機 坦克 子彈 砲塔 賽車 跑道 障礙 跳躍 衝刺 滑行 落地 腳步聲 點擊 提示音 歡呼 倒數計時 鼓掌 打擊
    麻將 撲克 鬥地主 棋盤 骰子 轉盤 紅包 春節 中秋 聖誕 限時活動 首儲 禮包 造型 坐騎 翅膀 稱號 戰鬥 競技場 世界首領 掉落 合成
    許功蓋 功能 蓋章 許願池 成功 育成 穀倉 陰謀
    """)

  static let japanese = split(
    """
    背景 背景音楽 効果音 ボタン アイコン 主人公 敵 敵キャラ モンスター マップ ステージ キャラクター アニメ フォント 画面 メニュー
    スタート 一時停止 終了 設定 スコア コイン 宝箱 アイテム 武器 剣 盾 弓矢 魔法 スキル 炎 氷 雷 爆発 体力 経験値 レベル クエスト
    会話 顔グラ 立ち絵 森 砂漠 雪山 海 城 村 洞窟 空 雲 太陽 月 星 木 石 草原 花 水面 橋 家 扉 窓 鍵 灯り 机 椅子 本 巻物 薬草
    ポーション りんご パン 魚 にわとり ねこ いぬ 馬 ドラゴン ガイコツ ゾンビ 幽霊 スライム コウモリ クモ オオカミ くま うさぎ 姫
    騎士 魔法使い 商人 鍛冶屋 王様 勝利 敗北 クリア ランキング ログインボーナス 報酬 ショップ 持ち物 倉庫 メール フレンド ギルド
    チャット ロード中 ゲージ 吹き出し 矢印 カーソル チュートリアル 説明書 お読みください 更新履歴 テスト バックアップ コピー
    新しいフォルダー 素材 元画像 テクスチャ モデル パーティクル エフェクト 光 影 数字 文字 ブロック キャンディ シューティング 飛行機
    戦車 弾 砲台 レース 障害物 ジャンプ ダッシュ 着地 足音 クリック音 決定音 キャンセル音 歓声 カウントダウン 拍手 打撃音 麻雀
    トランプ 将棋 サイコロ 正月 桜 夏祭り 花火 雪だるま 期間限定 ガチャ 衣装 翼 称号 戦闘 戦闘曲 闘技場 ラスボス エンディング 表情
    制服 学校 教室 廊下 屋上 夕方 夜 朝 オープニング タイトル画面 ソフト 能力 予定表 一覧 暗転 陰謀
    """)

  static let korean = split(
    """
    배경 배경음악 효과음 버튼 아이콘 주인공 적 몬스터 지도 맵 스테이지 캐릭터 애니메이션 글꼴 화면 메뉴 시작 일시정지 종료 설정
    점수 동전 보물상자 아이템 무기 검 방패 활 화살 마법 스킬 불꽃 얼음 번개 폭발 체력 생명 경험치 레벨 퀘스트 임무 대화 초상화 숲
    사막 설산 바다 성 마을 동굴 하늘 구름 태양 달 별 나무 돌 잔디 꽃 물 다리 집 문 창문 열쇠 자물쇠 등불 책상 의자 침대 책 두루마리
    물약 빨간물약 사과 빵 물고기 닭 고양이 강아지 말 용 해골 좀비 유령 슬라임 박쥐 거미 늑대 곰 토끼 공주 기사 마법사 궁수 상인
    대장장이 왕 승리 패배 클리어 랭킹 출석체크 보상 상점 가방 창고 우편 친구 길드 채팅 로그인 회원가입 로딩 진행바 팝업 안내 화살표
    손가락 튜토리얼 설명서 읽어주세요 업데이트 테스트 백업 복사본 새폴더 소재 원본 텍스처 모델 파티클 이펙트 빛 그림자 숫자 블록
    사탕 거품 슈팅 비행기 탱크 총알 포탑 자동차 트랙 장애물 점프 대시 착지 발소리 클릭음 환호 카운트다운 박수 타격음 고스톱 카드
    바둑판 주사위 돌림판 설날 추석 크리스마스 한정이벤트 뽑기 의상 날개 칭호 전투 전투음악 경기장 최종보스 조합 웃음 눈물 학교 교실 밤
    아침 게임 오프닝 엔딩 타이틀
    """)

  static let german = split(
    """
    Größe Schlüssel Tür Türen Übersicht Überschrift Menü Hauptmenü Zurück Löschen Öffnen Ändern Grün Räuber Höhle Wüste Bäume Büsche
    Brücke Häuser König Königin Prinzessin_schön Zaubersprüche Geräusch Geräusche Hintergrundgeräusch Schüsse Flügel Vögel Fußball
    Fußstapfen Straße Straßen Schloß Süßigkeiten Bär Löwe Kröte Käfer Mäuse Drachentöter Gebäude Möbel Stühle Küche Gemüse Äpfel Öl
    Ölfass Übung Prüfung Rätsel Lösung Gegenstände Rüstung Stärke Kämpfer Krieger_müde Jäger Händler Bösewicht Gegner_groß Zähler
    Uhr_läuft Münze Münzen Schätze Schatzkiste_geöffnet Heiltränke Zaubertränke Sprünge Läufer Spieler_fällt Anführer Hölle Märchen
    Mühle Glühwürmchen Blüte Blüten Gräser Gänse Kühe Hühner Müll Nächte Tagesanbruch_früh Frühling Kälte Wärme Schnee_weiß Weiß Rußig
    Für_später Höhe Länge Fläche Schaltfläche Knopf_gedrückt Löffel Töne Lärm Stöhnen Gelächter Sägewerk Gärtner Ärger Fähigkeit
    Fähigkeiten Würfel Zahnräder Gefängnis Wächter Jubiläum Erklärung Einführung Würstchen Entwürfe Entwürfe_alt Gefährte Fröhlich
    """)

  static let french = split(
    """
    Épée Épées Forêt Château Clé Clés Préférences Réglages Démarrer Décor Décors Arrière-plan_été Été Hiver_gelé Mélodie Musique_générale
    Bébé Fée Fées Sorcière Sorcières Rivière Lumière Lumières Caractère Personnage_blessé Blessé Guéri Étoile Étoiles Crâne Squelette_armé
    Armée Bâton Bâtiment Tempête Fenêtre Fenêtres Tête Bête Bêtes Fantôme Fantômes Île Îles Océan Désert Numéro Numéros Carré Triangle_foncé
    Foncé Clair_coloré Coloré Dégradé Énigme Énigmes Récompense Récompenses Pièce Pièces Trésor Trésors Médaille Succès Échec Niveau_terminé
    Terminé Débloqué Verrouillé Prêt Arrêt Règles Règlement Modèle Modèles Élément Éléments Effet_spécial Spécial Défi Défis Équipe Équipement
    Hélicoptère Fusée Météore Planète Soldat_fatigué Général Géant Rêve Rêves Forge_enflammée Cœur_brisé Marché Marchand_énervé Thé Café
    Gâteau Pâte Pêche Pêcheur Poulet_rôti Bûche Noël Français Leçon Reçu Façade Garçon Hameçon Déjà_vu Là-bas Voilà Où Août Piqûre Sûr
    Naïf Maïs Égoïste Célébration Dernière_étape Étape Départ Arrivée Entrée Sortie_fermée Fumée Poupée Poignée Vallée Génération Mémoire
    """)

  private static func split(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).map(String.init)
  }
}
